"""After many mixed calls a server holds no more than before: no file, thread, process, X resource or bus rule."""

import pytest

from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Applications, eventually
from tests.support.client import Client
from tests.support.holdings import Auditor
from tests.support.soak import Soak

_WARM_UP = 200
_CALLS = 400
_MIB = 12.0
"""What Python's allocator may keep of the largest moment; a picture that is kept is 6 MiB each time."""


@pytest.mark.timeout(180)
def test_many_mixed_calls_leave_everything_where_it_was(
    desktop: EmbeddedSession, platform: Platform, applications: Applications
) -> None:
    with Client("--clicks-per-second", "0", environment=desktop.environment) as client:
        client.initialize()
        soak, auditor = Soak.start(client, applications), Auditor(client.process.pid, dict(desktop.environment))
        soak.run(_WARM_UP)
        before = auditor.count()
        soak.run(_CALLS)
        memory = auditor.count().memory
        # Threads that have nothing to do any more, and what they have opened, go after 20 s.
        eventually(lambda: not auditor.count().more_than(before), seconds=30, what=f"no more than {before}")
        assert memory < before.memory + _MIB
        assert soak.errors > 10
        auditor.close()
