"""What the user does not want touched: applications, elements, scripts, tools. Says no, with the rule that says so."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NoReturn

from deskhand.guard.given import Given
from deskhand.model.element import Element
from deskhand.model.errors import Denied
from deskhand.model.roles import canonical_role


class Deed(StrEnum):
    """What is about to be done."""

    CLICK = "clicking on"
    SCROLL = "scrolling in"
    DRAG = "dragging in"
    TYPE = "typing into"
    KEY = "pressing keys in"
    ELEMENT = "acting on"
    ACTIVATE = "activating"
    LAUNCH = "starting"
    CLOSE = "closing"


@dataclass(frozen=True, slots=True)
class Words:
    """A text as a rule names it: `fits` takes the text in small letters."""

    said: str
    fits: Callable[[str], bool]

    def fits_any(self, found: Iterable[str]) -> bool:
        return any(self.fits(one.casefold().strip()) for one in found)


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that is denied. `place` says where that is written, `reason` why, as the user put it."""

    place: str
    words: Words
    reason: str = ""

    def refuse(self, what: str, recovery: str | None = None) -> NoReturn:
        because = f": {self.reason}" if self.reason else ""
        raise Denied(f"policy denied {what}{because} ({self.place})", recovery=recovery)


@dataclass(frozen=True, slots=True)
class ElementRule:
    """Elements that are denied, with everything in them: every criterion that is given must fit."""

    place: str
    app: Words | None = None
    role: str | None = None
    title: Words | None = None
    description: Words | None = None
    identifier: Words | None = None
    reason: str = ""

    @property
    def needs_details(self) -> bool:
        return self.description is not None or self.identifier is not None

    def concerns(self, names: Collection[str]) -> bool:
        """Whether there may be such an element in an application of these names."""
        return self.app is None or self.app.fits_any(names)

    def fits(self, element: Element, titles: Collection[str]) -> bool:
        """Whether an element is meant; it may be shown under another title than its own."""
        if self.role is not None:
            wanted = canonical_role(self.role)
            if wanted not in (canonical_role(element.role), canonical_role(element.native_role)):
                return False
        return (
            (self.title is None or self.title.fits_any({element.title, *titles}))
            and (self.description is None or self.description.fits_any([element.description]))
            and (self.identifier is None or self.identifier.fits_any([element.identifier]))
        )

    def refuse(self, deed: Deed, app: str) -> NoReturn:
        parts = (self.role, *(words.said for words in (self.title, self.description, self.identifier) if words))
        said = ", ".join(part for part in parts if part)
        because = f": {self.reason}" if self.reason else ""
        raise Denied(f"policy denied {deed} [{said}] in {app}{because} ({self.place})")


LEAVE_IT: Final = "bring another app to the front with app_activate, then try again"


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything that is denied. One without rules denies nothing but shell scripts."""

    apps: tuple[Rule, ...] = ()
    elements: tuple[ElementRule, ...] = ()
    scripts: tuple[Rule, ...] = ()
    tools: tuple[Rule, ...] = ()
    allow_shell_scripts: bool = False
    given: Given = field(default_factory=Given)
    """What is granted to every connection; what is denied is denied all the same."""
    _verdicts: dict[frozenset[str], Rule | None] = field(default_factory=dict, compare=False)

    @property
    def concerns_windows(self) -> bool:
        """Whether it matters at all whose window is acted on."""
        return bool(self.apps or self.elements)

    def check_app(self, names: frozenset[str], called: str, deed: Deed, recovery: str | None = None) -> None:
        """Raise Denied where nothing may be done in an application of these names."""
        if names not in self._verdicts:
            if len(self._verdicts) > 500:
                self._verdicts.clear()
            self._verdicts[names] = next((rule for rule in self.apps if rule.words.fits_any(names)), None)
        rule = self._verdicts[names]
        if rule is not None:
            rule.refuse(f"{deed} {called}", recovery)

    def rules_for(self, names: Collection[str]) -> tuple[ElementRule, ...]:
        """The rules for elements of an application of these names."""
        return tuple(rule for rule in self.elements if rule.concerns(names))

    def check_tool(self, name: str) -> None:
        """Raise Denied where a tool may not be used."""
        for rule in self.tools:
            if rule.words.fits(name.casefold()):
                rule.refuse(f"the tool {name}", "do it another way, or leave it to the user")

    def check_script(self, text: str, targets: Iterable[str] = ()) -> None:
        """Raise Denied where a script says what is denied, or tells an application (`targets`) that is."""
        names = [target.casefold().strip() for target in targets]
        for target in names:
            self.check_app(frozenset({target}), target, Deed.ELEMENT)
        for rule in self.scripts:
            if rule.words.fits_any([text, *names]):
                rule.refuse(f"a script with {rule.words.said}", "leave that out of the script")

    def check_shell_script(self) -> None:
        """Raise Denied where a script may not run commands of the shell."""
        if not self.allow_shell_scripts:
            raise Denied(
                "policy denied a shell script (allow_shell_scripts is not set)",
                recovery="do it with the other tools; only the user can set allow_shell_scripts in policy.toml",
            )
