"""What replies and listings cost a model, counted with the o200k vocabulary of the package bpe-openai."""

import json
from collections.abc import Iterator

import bpe_openai

from bench.measure import Bench, Row
from deskhand.surfaces.chosen import chosen_surface
from deskhand.surfaces.surface import Surface

# What a server without observers, hotkeys, sound, films and scripts would not list.
_LATER = (
    *("ax_watch", "ax_unwatch", "ax_events"),
    *("list_hotkeys", "list_hotkey_apps", "hotkey_jump", "hotkey_rescan", "hotkey_register"),
    *("audio_devices", "speak", "voice_list", "now_playing"),
    *("record_start", "record_stop", "record_list", "run_applescript_tool"),
)


def count(text: str) -> int:
    """Tokens of a text."""
    return len(bpe_openai.get_encoding("o200k_base").encode(text))


def rows(bench: Bench) -> Iterator[Row]:
    bench.applications.start("mousepad")
    with bench.client() as client:
        reply = client.do("inspect_ui", app_name="mousepad")
    bench.applications.end()
    as_json = float(count(json.dumps(_rows_of(reply), separators=(",", ":"), ensure_ascii=False)))
    ours = count(reply)
    others = {"compact JSON of the same rows": as_json}
    yield Row("inspect_ui of a GTK 3 editor", "≤ 700 tokens", "tokens", ours, others, ours <= 700, "the whole reply")
    yield _listing("axi, the first 35", 3500, chosen_surface(without=_LATER))
    yield _listing("axi", 5000, chosen_surface())
    yield _listing("computer", 2500, chosen_surface(names=("computer",)))


def _listing(name: str, reach: int, surface: Surface) -> Row:
    """What a client's model reads of our tools before it does anything."""
    listing = surface.listing()
    shown = [{key: entry[key] for key in ("name", "description", "inputSchema")} for entry in listing]
    tokens = count(json.dumps(shown, separators=(",", ":"), ensure_ascii=False))
    note = f"{len(listing)} tools: name, description, input schema"
    return Row(f"tools/list of {name}", f"≤ {reach:,} tokens", "tokens", tokens, {}, tokens <= reach, note)


def _rows_of(reply: str) -> list[dict[str, object]]:
    """The rows of the table in a reply, as objects with bounds as a list, the way JSON servers answer."""
    header, *lines = reply[reply.index("elements[") :].splitlines()
    names = header[header.index("{") + 1 : header.index("}")].split(",")
    rows = []
    for line in lines:
        if not line.startswith("  "):
            break
        cells = _cells(line.strip())
        row: dict[str, object] = dict(zip(names, cells, strict=True))
        row["bounds"] = None if row["bounds"] is None else [int(part) for part in str(row["bounds"]).split()]
        row["depth"] = int(str(row["depth"]))
        rows.append(row)
    return rows


def _cells(line: str) -> list[str | None]:
    cells: list[str | None] = []
    while line:
        if line.startswith('"'):
            value, end = json.JSONDecoder().raw_decode(line)
            line = line[end + 1 :]
            cells.append(value)
        else:
            value, _, line = line.partition(",")
            cells.append(None if value == "null" else value)
    return cells
