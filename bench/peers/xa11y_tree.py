"""The same look with xa11y: the tree of an application, read by its own native code in one call."""

import json
import sys
import time

import xa11y


def count(node):
    return 1 + sum(map(count, node["children"]))


def main():
    wanted, runs = sys.argv[1].lower(), int(sys.argv[2])
    app = next(one for one in xa11y.App.list() if wanted in one.name.lower())
    times, nodes = [], 0
    for _ in range(runs):
        start = time.perf_counter()
        tree = app.tree()
        times.append(time.perf_counter() - start)
        nodes = count(tree)
    print(json.dumps({"seconds": times, "nodes": nodes}))


main()
