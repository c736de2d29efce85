"""The main job, step by step, through a real client."""

from tests.support.applications import Application
from tests.support.client import Client


def test_an_agent_looks_fills_and_reads_back(client: Client, editor: Application) -> None:
    seen = client.do("inspect_ui", app_name="mousepad")
    assert "textbox" in seen
    client.acquire()
    filled = client.do("fill", app_name="mousepad", role="textbox", text="Grüße, 世界\nsecond line")
    assert filled.fields["matched"] == "true"
    assert filled.fields["effect"] == "confirmed"
    assert editor.text() == "Grüße, 世界\nsecond line"
