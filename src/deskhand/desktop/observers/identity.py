"""Which application is meant, also by a process of it that does not run yet."""

from dataclasses import dataclass

from deskhand.desktop import apps
from deskhand.desktop.apps import RunningApp
from deskhand.model.errors import AmbiguousApp, AppNotFound
from deskhand.platforms.base import Platform


@dataclass(frozen=True, slots=True)
class Identity:
    """An application, whatever its process: by its desktop file, or by its name where it has none."""

    name: str
    bundle_id: str

    def fits(self, app: RunningApp) -> bool:
        """Whether a running application is this one."""
        if self.bundle_id:
            return app.app.bundle_id == self.bundle_id
        return not app.app.bundle_id and app.app.name == self.name

    def is_called(self, name: str) -> bool:
        """Whether somebody who says this name means this application."""
        wanted = name.strip().casefold().removesuffix(".desktop")
        id_ = self.bundle_id.casefold()
        return wanted in {self.name.casefold(), id_, id_.rpartition(".")[2]} - {""}


def identify(platform: Platform, name: str) -> tuple[Identity, RunningApp | None]:
    """The application that a name means, and its process where it runs.

    Raises AppNotFound where nothing of that name runs or is installed, AmbiguousApp where several run.
    """
    try:
        app = apps.resolve(platform, name)
    except AmbiguousApp:
        raise
    except AppNotFound:
        installed = apps.find_installed(platform, name)
        if installed is None:
            raise
        return Identity(installed.name, installed.bundle_id), None
    return Identity(app.app.name, app.app.bundle_id), app
