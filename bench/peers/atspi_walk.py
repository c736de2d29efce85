"""A whole walk with PyGObject's Atspi, as Python tools do it: name, role, states and extents of every visible node.

Run by the system's Python. Prints JSON: seconds of each run, and how many nodes it saw.
"""

import json
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi


def walk(node, seen):
    states = node.get_state_set()
    if not states.contains(Atspi.StateType.SHOWING) and node.get_role() != Atspi.Role.APPLICATION:
        return
    node.get_name(), node.get_role()
    interfaces = node.get_interfaces()
    if "Component" in interfaces:
        Atspi.Component.get_extents(node, Atspi.CoordType.SCREEN)
    if "Text" in interfaces:
        Atspi.Text.get_text(node, 0, min(400, Atspi.Text.get_character_count(node)))
    seen.append(node)
    for index in range(node.get_child_count()):
        child = node.get_child_at_index(index)
        if child is not None:
            walk(child, seen)


def main():
    wanted, runs = sys.argv[1].lower(), int(sys.argv[2])
    desktop = Atspi.get_desktop(0)
    apps = [desktop.get_child_at_index(index) for index in range(desktop.get_child_count())]
    app = next(one for one in apps if one is not None and wanted in one.get_name().lower())
    times, count = [], 0
    for _ in range(runs):
        app.clear_cache()
        start, seen = time.perf_counter(), []
        walk(app, seen)
        times.append(time.perf_counter() - start)
        count = len(seen)
    print(json.dumps({"seconds": times, "nodes": count}))


main()
