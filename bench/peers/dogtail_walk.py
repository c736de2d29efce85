"""The same walk with dogtail: name, role, showing and place of every visible node. Run by the system's Python."""

import json
import sys
import time

from dogtail.config import config

config.logDebugToFile = config.logDebugToStdOut = config.checkForA11y = False

from dogtail import tree


def walk(node, seen):
    if not node.showing and node.roleName != "application":
        return
    node.name, node.roleName
    try:
        node.extents
    except NotImplementedError:
        pass
    seen.append(node)
    for child in node.children:
        walk(child, seen)


def main():
    wanted, runs = sys.argv[1].lower(), int(sys.argv[2])
    app = next(one for one in tree.root.applications() if wanted in one.name.lower())
    times, count = [], 0
    for _ in range(runs):
        start, seen = time.perf_counter(), []
        walk(app, seen)
        times.append(time.perf_counter() - start)
        count = len(seen)
    print(json.dumps({"seconds": times, "nodes": count}))


main()
