"""Arguments that several tools of this surface share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from deskhand.desk import Desk
from deskhand.desktop import apps
from deskhand.desktop.apps import RunningApp
from deskhand.desktop.elements import looking
from deskhand.desktop.elements.acting import Target
from deskhand.model.element import Element, Query
from deskhand.model.errors import AppNotFound, BadArguments, MissingArgument, NotFound
from deskhand.tools import arg

AppName = Annotated[str, arg("App name, desktop-file id or pid", min_length=1, max_length=200)]
Role = Annotated[str, arg("e.g. button, textbox", min_length=1, max_length=60)]
Words = Annotated[str, arg(min_length=1, max_length=500)]
Handle = Annotated[str, arg(min_length=1, max_length=40)]
HotkeyId = Annotated[str, arg("Hotkey id, e.g. finder.go.home", min_length=1, max_length=200)]
Match = Literal["contains", "exact"]
_CANDIDATES: Final = 20
Settle = Annotated[int, arg("Longest wait for the UI to come to rest, ms", ge=0, le=10_000)]
ScreenX = Annotated[float, arg("Screen pixels")]
ScreenY = float


@dataclass(frozen=True, slots=True)
class Criteria:
    """What an element is looked for by."""

    role: Role | None = None
    title: Words | None = None
    description: Words | None = None
    match: Match = "contains"

    @property
    def any_given(self) -> bool:
        return self.role is not None or self.title is not None or self.description is not None

    def query(self) -> Query:
        """The query; raises MissingArgument where nothing is asked for."""
        if not self.any_given:
            raise MissingArgument("Missing required parameter: role, title or description")
        return Query(self.role, self.title, self.description, exact=self.match == "exact")


@dataclass(frozen=True, slots=True)
class Which:
    """Which element is meant: a handle, or an application and criteria."""

    handle_id: Handle | None = None
    app_name: AppName | None = None
    role: Role | None = None
    title: Words | None = None
    description: Words | None = None
    match: Match = "contains"

    @property
    def any_given(self) -> bool:
        return self.handle_id is not None or self.app_name is not None or self._criteria.any_given

    @property
    def _criteria(self) -> Criteria:
        return Criteria(self.role, self.title, self.description, self.match)

    def target(self, desk: Desk, suits: Callable[[Element], bool] | None = None) -> Target:
        """The element, as it is now; of several with one name, the first that `suits`.

        Raises MissingArgument, AppNotFound, NotFound, or what a handle's use raises.
        """
        if self.handle_id is not None:
            return self._by_handle(desk, self.handle_id)
        if self.app_name is None:
            raise MissingArgument("Missing required parameter: handle_id, or app_name with role or title")
        query = self._criteria.query()
        app = apps.resolve(desk.platform, self.app_name)
        view = looking.find(desk.platform, app, query, limit=1 if suits is None else _CANDIDATES)
        if not view.shown:
            raise NotFound(
                f"No element matching {query.words()} in {app.app.name}",
                recovery="call inspect_ui to see what is there, then use a handle_id",
            )
        first = view.shown[0]
        # Only those of the same name: a field of another name is not what was meant.
        namesakes = [one for one in view.shown if one.title.casefold() == first.title.casefold()]
        meant = next((one for one in namesakes if suits(one.element)), first) if suits else first
        return Target(meant.element, app, meant.title)

    def _by_handle(self, desk: Desk, handle: str) -> Target:
        if self._criteria.any_given:
            raise BadArguments(
                "handle_id: give either a handle or what to look for", recovery="leave role, title and description out"
            )
        ref = desk.refs.find(handle)
        element = desk.platform.accessibility.element(ref.node)
        ref.check(element)
        app = _app_of(desk, element.node.app)
        if self.app_name is not None:
            named = apps.resolve(desk.platform, self.app_name)
            if app is None or app.app.pid != named.app.pid:
                raise BadArguments(f"handle_id: that element is not in {named.app.name}", recovery="leave app_name out")
        return Target(element, app, ref.called)


def _app_of(desk: Desk, accessible_id: str) -> RunningApp | None:
    for app in apps.running(desk.platform):
        if app.accessible is not None and app.accessible.id == accessible_id:
            return app
    return None


def one_app(bundle_id: str | None, app_name: str | None) -> str:
    """The application meant, by whichever name was given. Raises MissingArgument, or BadArguments for both."""
    if bundle_id is not None and app_name is not None:
        raise BadArguments("app_name: give either bundle_id or app_name", recovery="leave one of them out")
    name = bundle_id if bundle_id is not None else app_name
    if name is None:
        raise MissingArgument("Missing required parameter: app_name or bundle_id")
    return name


def frontmost(desk: Desk) -> RunningApp:
    """The application in front. Raises AppNotFound where there is none."""
    app = apps.frontmost(desk.platform)
    if app is None:
        raise AppNotFound("no app is in front", recovery="call app_activate to bring one there")
    return app
