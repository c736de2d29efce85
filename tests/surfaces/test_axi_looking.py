"""The tools that look: what each answers on real applications, and what each parameter changes."""

import io
import re
import shutil
from base64 import b64decode

import pytest
from PIL import Image

from deskhand.model.clipboard import text_contents
from deskhand.model.geometry import Rect
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.surfaces.axi import Axi
from tests.support.applications import Applications
from tests.support.client import Reply
from tests.support.world import World, rows
from tests.support.x_window import XWindow


def picture(reply: Reply) -> Image.Image:
    block = reply.blocks[1]
    assert (block["type"], block["mimeType"]) == ("image", "image/jpeg")
    return Image.open(io.BytesIO(b64decode(block["data"])))


class TestPictures:
    """screenshot, screenshot_window"""

    def test_a_screenshot_shows_the_display_at_most_1280_wide(self, world: World) -> None:
        reply = world.client.do("screenshot")
        assert picture(reply).size == (1280, 720)
        assert [reply.fields[name] for name in ("width", "height", "scale", "origin")] == ["1280", "720", "1.5", "0 0"]
        assert len(b64decode(reply.blocks[1]["data"])) <= 1_000_000

    def test_its_pixels_lie_where_the_reply_says(self, world: World, desktop: EmbeddedSession) -> None:
        with XWindow(desktop.environment, Rect(903, 301, 120, 90), colour=0xFF0000, managed=False):
            for part in ({}, {"x": 850, "y": 250, "width": 300, "height": 200}):
                reply = world.client.do("screenshot", **part)
                left, top = map(int, reply.fields["origin"].split())
                scale = float(reply.fields["scale"])
                image = picture(reply)
                red, green, blue = image.getpixel((int((963 - left) / scale), int((346 - top) / scale)))  # type: ignore[misc]
                assert red > 200
                assert green < 60
                assert blue < 60

    @pytest.mark.parametrize(
        ("part", "origin", "size"),
        [
            ({"x": 10, "y": 20, "width": 300, "height": 200}, "10 20", (300, 200)),
            ({"x": 11, "y": 20, "width": 300, "height": 200}, "11 20", (300, 200)),
            ({"x": 10, "y": 21, "width": 300, "height": 200}, "10 21", (300, 200)),
            ({"x": 10, "y": 20, "width": 301, "height": 200}, "10 20", (301, 200)),
            ({"x": 10, "y": 20, "width": 300, "height": 201}, "10 20", (300, 201)),
            ({"x": -100, "y": -50, "width": 300, "height": 200}, "0 0", (200, 150)),
            ({"x": 1900, "y": 1000, "width": 300, "height": 200}, "1900 1000", (20, 80)),
            ({"x": 0, "y": 0, "width": 1920, "height": 100}, "0 0", (1280, 67)),
            ({"display": 0}, "0 0", (1280, 720)),
        ],
    )
    def test_a_part_of_the_screen(self, world: World, part: dict[str, int], origin: str, size: tuple[int, int]) -> None:
        reply = world.client.do("screenshot", **part)
        assert reply.fields["origin"] == origin
        assert picture(reply).size == size

    @pytest.mark.parametrize(
        ("wrong", "complaint"),
        [
            ({"x": 1}, "Missing required parameter: a region needs x, y, width and height"),
            ({"x": 1, "y": 1, "width": 5, "height": 5, "display": 0}, "display: a region is of the whole screen"),
            ({"x": 5000, "y": 1, "width": 5, "height": 5}, "the region (5000, 1, 5, 5) is outside every display"),
            ({"display": 7}, "there is no display 7"),
            ({"x": 1, "y": 1, "width": 0, "height": 5}, "width: Input should be greater than or equal to 1"),
        ],
    )
    def test_what_cannot_be_shown_is_told(self, world: World, wrong: dict[str, int], complaint: str) -> None:
        reply = world.client.call("screenshot", **wrong)
        assert reply.is_error
        assert reply.startswith(f"error: {complaint}")

    def test_a_window_by_name_or_id_also_while_it_is_covered(self, world: World, desktop: EmbeddedSession) -> None:
        world.form.activate()
        [window] = [row for row in rows(world.client.do("list_windows_tool"), "windows") if row["title"] == "A form"]
        frame = Rect(*(int(window[side]) for side in ("x", "y", "width", "height")))
        with XWindow(desktop.environment, frame, colour=0xFF0000, managed=False):
            by_name = world.client.do("screenshot_window", window_name="a form")
            by_id = world.client.do("screenshot_window", window_id=int(window["id"]))
        for reply in (by_name, by_id):
            assert reply.fields["window_id"] == window["id"]
            assert reply.fields["name"] == "A form"
            assert reply.fields["origin"] == f"{frame.x} {frame.y}"
            assert picture(reply).size == frame.size
            red, green, _ = picture(reply).getpixel((frame.width // 2, frame.height - 40))  # type: ignore[misc]
            assert not (red > 200 and green < 60)

    def test_a_window_needs_one_name(self, world: World) -> None:
        for wrong in ({}, {"window_name": "A form", "window_id": 5}):
            assert "exactly one" in world.client.call("screenshot_window", **wrong)
        for nothing in ({"window_name": "no such"}, {"window_id": 4711}):
            reply = world.client.call("screenshot_window", **nothing)
            assert "recovery: call list_windows_tool" in reply


class TestLooking:
    """What there is on the screen."""

    def test_get_screen_info(self, world: World) -> None:
        world.client.do("click_at", x=321, y=234)
        reply = world.client.do("get_screen_info")
        [display] = rows(reply, "displays")
        assert display == {
            "id": "0", "x": "0", "y": "0", "width": "1920", "height": "1080", "scale": "1", "main": "true"
        }  # fmt: skip
        assert (reply.fields["x"], reply.fields["y"]) == ("321", "234")

    def test_list_windows_tool(self, world: World) -> None:
        world.form.activate()
        first, second = rows(world.client.do("list_windows_tool"), "windows")
        assert (first["name"], first["title"], first["pid"]) == ("form", "A form", str(world.form.pid))
        assert (first["active"], second["active"]) == ("true", "false")
        assert second["name"] == "Mousepad"
        place = world.place("Pad")
        assert int(first["x"]) < place.x < int(first["x"]) + int(first["width"])
        [only] = rows(world.client.do("list_windows_tool", app_name="mousepad"), "windows")
        assert only["name"] == "Mousepad"

    def test_inspect_ui(self, world: World) -> None:
        reply = world.client.do("inspect_ui", **world.app)
        found = {row["title"]: row for row in rows(reply, "elements")}
        assert found["Name"]["role"] == "textbox"
        assert found["Volume"]["role"] == "slider"
        assert found["Agree"]["value"] in ("checked", "unchecked")
        assert tuple(map(int, found["Pad"]["bounds"].split())) == tuple(world.place("Pad"))
        assert reply.fields["shown"] == reply.fields["total"] == str(len(rows(reply, "elements")))
        assert reply.fields["truncated"] == "false"
        assert world.client.do("inspect_ui", app_name="mousepad").fields["app"] == "Mousepad"

    def test_inspect_ui_in_full_detail(self, world: World) -> None:
        [note] = [
            row
            for row in rows(world.client.do("inspect_ui", **world.app, detail="full"), "elements")
            if row["title"] == "Note"
        ]
        assert note["description"] == "what else there is to say"
        assert note["subrole"] == "text"
        assert note["enabled"] == "true"

    def test_inspect_ui_of_a_part(self, world: World) -> None:
        few = world.client.do("inspect_ui", **world.app, max_elements=3)
        assert len(rows(few, "elements")) == 3
        assert (few.fields["shown"], few.fields["truncated"]) == ("3", "true")
        assert int(few.fields["total"]) > 3
        assert "max_elements" in few.fields["rest"]
        flat = world.client.do("inspect_ui", **world.app, max_depth=0)
        assert [row["role"] for row in rows(flat, "elements")] == ["window"]

    def test_inspect_ui_nested(self, world: World) -> None:
        reply = world.client.do("inspect_ui", **world.app, format="nested")
        assert "children[" in reply
        assert "bounds[4]: " in reply
        assert not re.search(r"elements\[\d+\]\{", reply)

    def test_find_element(self, world: World) -> None:
        assert world.client.do("find_element", **world.app, role="slider").fields["title"] == "Volume"
        assert world.client.do("find_element", **world.app, title="note").fields["title"] == "Note"
        assert world.client.do("find_element", **world.app, description="else there").fields["title"] == "Note"
        assert world.client.do("find_element", **world.app, title="not").fields["found"] == "true"
        assert world.client.do("find_element", **world.app, title="not", match="exact").fields["found"] == "false"
        assert world.client.do("find_element", **world.app, role="textbox").fields["matches"] == "3"
        assert world.client.call("find_element", **world.app).startswith(
            "error: Missing required parameter: role, title or description"
        )
        assert world.client.do("find_element", app_name="mousepad", role="textbox").fields["title"] == '""'

    def test_an_element_named_by_the_words_in_it_is_known_by_its_handle(
        self, world: World, applications: Applications
    ) -> None:
        calculator = applications.start("gnome-calculator")  # GTK 4 puts the words of these buttons into labels
        for title in ("π", "Primary menu"):
            target = {"app_name": str(calculator.pid), "role": "button", "title": title}
            found = world.client.do("find_element", **target)
            assert found.fields["title"] == title
            world.client.do("ax_actions", handle_id=found.handle)

    def test_find_elements(self, world: World) -> None:
        reply = world.client.do("find_elements", **world.app, role="textbox")
        assert [row["title"] for row in rows(reply, "elements")] == ["Name", "Note", "Password"]
        assert reply.fields["count"] == "3"
        two = world.client.do("find_elements", **world.app, role="textbox", limit=2)
        assert len(rows(two, "elements")) == 2
        assert (two.fields["count"], two.fields["truncated"]) == ("3", "true")
        assert "raise limit" in two.fields["rest"]
        exact = world.client.do("find_elements", **world.app, title="Note", match="exact")
        assert exact.fields["count"] == "1"
        assert world.client.do("find_elements", **world.app, description="say").fields["count"] == "1"
        assert world.client.call("find_elements", **world.app, role="button", limit=101).is_error

    def test_names_of_other_systems_are_understood(self, world: World) -> None:
        for role in ("AXTextField", "text", "textbox"):
            assert world.client.do("find_element", **world.app, role=role).fields["role"] == "textbox"
        assert world.client.do("find_element", **world.app, role="push button").fields["role"] == "button"

    def test_ax_focused(self, world: World) -> None:
        world.form.focus("textbox", "Note")
        reply = world.client.do("ax_focused")
        assert (reply.fields["app"], reply.fields["title"], reply.fields["focused"]) == ("form", "Note", "true")

    def test_ax_menu_bar(self, world: World) -> None:
        reply = world.client.do("ax_menu_bar", app_name="mousepad")
        found = {row["title"]: row for row in rows(reply, "items")}
        assert found["Save"]["shortcut"] == "ctrl+s"
        assert found["File"]["role"] == "menu"
        assert int(found["Save"]["depth"]) == int(found["File"]["depth"]) + 1
        assert reply.fields["count"] == str(len(rows(reply, "items")))

    def test_a_password_is_never_shown(self, world: World) -> None:
        secret = "open sesame"
        filled = world.client.do("fill", **world.target("Password"), text=secret)
        assert (filled.fields["matched"], filled.fields["value"]) == ("null", "(hidden)")
        world.form.focus("textbox", "Password")
        for name, arguments in (
            ("inspect_ui", world.app | {"detail": "full"}),
            ("find_element", world.target("Password")),
            ("find_elements", world.app | {"role": "textbox"}),
            ("ax_focused", {}),
            ("ax_cache", world.target("Password")),
            ("ax_actions", world.target("Password")),
            ("ax_set_value", world.target("Password") | {"value": secret}),
            ("interact", world.target("Password") | {"action": "set_value", "value": secret}),
        ):
            reply = world.client.do(name, **arguments)
            assert secret not in reply, name
            assert "•" not in reply, name


class TestTheSystem:
    """Applications, clipboard, machine."""

    def test_app_list(self, world: World) -> None:
        world.form.activate()
        first, second = rows(world.client.do("app_list"), "apps")
        assert (first["name"], first["pid"], first["active"]) == ("form", str(world.form.pid), "true")
        assert (second["bundle_id"], second["active"], second["hidden"]) == ("org.xfce.mousepad", "false", "false")

    def test_app_frontmost(self, world: World) -> None:
        world.form.activate()
        reply = world.client.do("app_frontmost")
        assert (reply.fields["name"], reply.fields["pid"]) == ("form", str(world.form.pid))
        assert reply.fields["window"] == "A form"

    def test_app_activate(self, world: World) -> None:
        by_id = world.client.do("app_activate", bundle_id="org.xfce.mousepad")
        assert (by_id.fields["activated"], by_id.fields["launched"], by_id.fields["name"]) == (
            "true",
            "false",
            "Mousepad",
        )
        assert world.client.do("app_frontmost").fields["name"] == "Mousepad"
        by_name = world.client.do("app_activate", app_name="form")
        assert by_name.fields["pid"] == str(world.form.pid)
        assert world.client.do("app_frontmost").fields["name"] == "form"
        assert "either" in world.client.call("app_activate", app_name="form", bundle_id="form")
        assert "Missing required parameter" in world.client.call("app_activate")
        assert "App not found" in world.client.call("app_activate", bundle_id="org.no.such")

    def test_app_activate_starts_what_does_not_run(self, world: World, platform: Platform) -> None:
        if shutil.which("featherpad") is None:
            pytest.skip("featherpad is not installed")
        reply = world.client.do("app_activate", bundle_id="featherpad")
        with Applications(None, platform, [int(reply.fields["pid"])]):  # type: ignore[arg-type]
            assert reply.fields["launched"] == "true"
            assert world.client.do("app_frontmost").fields["pid"] == reply.fields["pid"]

    def test_clipboard_read(self, world: World, platform: Platform) -> None:
        platform.clipboard.write(text_contents("ein Täxt"))
        reply = world.client.do("clipboard_read")
        assert (reply.fields["text"], reply.fields["has_image"]) == ("ein Täxt", "false")
        platform.clipboard.write({"text/uri-list": b"file:///tmp/a%20b\r\nfile:///tmp/c\r\n", "image/png": b"x"})
        reply = world.client.do("clipboard_read")
        assert reply.fields["has_image"] == "true"
        assert "file:///tmp/a%20b" in reply
        assert "file:///tmp/c" in reply
        platform.clipboard.write({})

    def test_system_state(self, world: World) -> None:
        reply = world.client.do("system_state")
        assert reply.fields["displays"] == "1"
        assert int(reply.fields["total_mb"]) >= int(reply.fields["available_mb"]) > 0
        assert int(reply.fields["cpus"]) >= 1
        assert reply.fields["os_version"]
        assert {"battery", "thermal"} <= {line.partition(":")[0] for line in reply.splitlines()}

    def test_capabilities(self, world: World) -> None:
        reply = world.client.do("capabilities")
        assert (reply.fields["server"], reply.fields["tool_count"]) == ("deskhand", str(len(Axi.tools)))
        assert reply.fields["session_id"].strip('"') == world.session_id
        listed = rows(world.client.do("list_hotkey_apps"), "apps")
        assert {"Mousepad", "form"} <= {row["app"] for row in listed}
        assert reply.endswith("help[acquire_session to start acting | list_hotkeys to see navigation shortcuts]")
        assert int(reply.fields["apps"]) == len(listed)
        assert int(reply.fields["entries"]) == sum(int(row["entries"]) for row in listed)
