"""The main job, shown: an agent's client works in a GTK 3, a GTK 4 and a Qt application, and reads back what it did.

`./dev demo` runs it on a desktop of its own. Every call and reply is printed as it happens, every result is checked,
and the last screenshot is saved.
"""

import argparse
import asyncio
import base64
import re
import sys
import time
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

COLORS = {"call": "1;36", "reply": "2", "error": "31", "good": "1;32", "title": "1;35", "time": "33"}
TEXT = "Grüße aus dem Editor — καλημέρα, добрый день ✓\nThis line was typed by an agent."
LONGEST_REPLY = 16


def paint(kind: str, text: str) -> str:
    return f"\033[{COLORS[kind]}m{text}\033[0m" if sys.stdout.isatty() or "--color" in sys.argv else text


class NotShown(Exception):
    """Raised where a step does not do what the demo says."""


class Agent:
    """Calls tools and shows what it does."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.checks = 0

    async def call(self, name: str, **arguments: Any) -> str:
        """Call a tool, show the call and its reply; the reply's text."""
        written = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
        print(f"\n{paint('call', name)}({written})")
        start = time.perf_counter()
        result = await self.client.call_tool(name, arguments)
        took = f"{(time.perf_counter() - start) * 1000:.1f} ms"
        text = "\n".join(block.text for block in result.content if block.type == "text")
        self.pictures = [block for block in result.content if block.type == "image"]
        lines = text.splitlines()
        shown = lines if len(lines) <= LONGEST_REPLY else [*lines[: LONGEST_REPLY - 2], f"  … {len(lines)} lines"]
        print(paint("error" if result.is_error else "reply", "\n".join(f"  {line}" for line in shown)))
        print(paint("time", f"  {took}"))
        if result.is_error:
            raise NotShown(name)
        return text

    def verify(self, what: str, holds: bool) -> None:
        """Say that something was checked; ends the demo where it does not hold."""
        self.checks += 1
        print(paint("good" if holds else "error", f"  {'✓' if holds else '✗'} {what}"))
        if not holds:
            raise NotShown(what)


def field(reply: str, name: str) -> str:
    """The value of one line of a reply."""
    match = re.search(rf"^\s*{name}: (.*)$", reply, re.MULTILINE)
    return match[1].strip('"') if match else ""


async def gtk3_editor(agent: Agent) -> None:
    """Fill the document, change it by an item of a menu that was never opened, read both back."""
    print(paint("title", "\n── GTK 3: an editor ──"))
    seen = await agent.call("activate_and_inspect", app_name="mousepad")
    agent.verify("the editor is there, with its text field", "textbox" in seen)
    filled = await agent.call("fill", app_name="mousepad", role="textbox", text=TEXT)
    agent.verify("the field holds the text, read back from it", field(filled, "matched") == "true")
    await agent.call("key", keys="ctrl+a")
    await agent.call("interact", app_name="mousepad", role="menuitem", title="To Uppercase")
    read = await agent.call("find_element", app_name="mousepad", role="textbox")
    agent.verify("a menu that was never opened has made it upper case", "TYPED BY AN AGENT" in field(read, "value"))


async def gtk4_calculator(agent: Agent) -> None:
    """Press 6 × 7 = and read the result."""
    print(paint("title", "\n── GTK 4: a calculator ──"))
    await agent.call("activate_and_inspect", app_name="gnome-calculator")
    for key in ("6", "×", "7"):
        await agent.call("click_at", app_name="gnome-calculator", role="button", title=key, match="exact")
    await agent.call("interact", app_name="gnome-calculator", role="button", title="=", match="exact")
    shown = await agent.call("find_element", app_name="gnome-calculator", role="textbox")
    agent.verify("the display shows 42: every click landed on its button", field(shown, "value") == "42")


async def qt_editor(agent: Agent) -> None:
    """Type with real keys, characters that no layout has among them, and read back."""
    print(paint("title", "\n── Qt: another editor ──"))
    await agent.call("activate_and_inspect", app_name="featherpad")
    typed = await agent.call("type_text_tool", text="Ωж∑√∞ → typed key by key, € and all")
    agent.verify("all characters arrived", field(typed, "effect") == "confirmed")
    focused = await agent.call("ax_focused")
    agent.verify("the field with the keyboard holds them", "Ωж∑√∞" in field(focused, "value"))


async def show(picture: Path) -> int:
    """Start the server as any client does, and do the three jobs; how many results were verified."""
    start = time.perf_counter()
    server = StdioServerParameters(command=sys.executable, args=["-m", "deskhand", "mcp", "--embedded", "1280x800"])
    print(paint("title", "An MCP client starts `deskhand mcp --embedded 1280x800` and connects over stdio"))
    async with Client(server) as client:
        listing = await client.list_tools()
        print(f"  {len(listing.tools)} tools, {(time.perf_counter() - start) * 1000:.0f} ms after the start")
        agent = Agent(client)
        session = await agent.call("acquire_session", agent_id="demo", purpose="show the main job")
        await gtk3_editor(agent)
        await gtk4_calculator(agent)
        await qt_editor(agent)
        await agent.call("screenshot")
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.write_bytes(base64.b64decode(agent.pictures[0].data))
        await agent.call("release_session", agent_id="demo", session_id=field(session, "session_id"))
    return agent.checks


def main() -> int:
    """Run the demo; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--picture", type=Path, default=Path(".dev/demo.jpg"), help="where the last screenshot goes")
    parser.add_argument("--color", action="store_true", help="color the output also where it is no terminal")
    options = parser.parse_args()
    checks = 0
    try:
        checks = asyncio.run(show(options.picture))
    except* NotShown:
        print(paint("error", "\nThe demo ends here: the line marked ✗ (or the error above) says why"), file=sys.stderr)
    if not checks:
        return 1
    print(paint("good", f"\n{checks} results verified. The last screenshot is in {options.picture}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
