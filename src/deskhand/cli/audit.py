"""`deskhand audit`: whether the record of acts is whole, and what its last lines say."""

import argparse
import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from deskhand.guard.audit import NAME
from deskhand.guard.audit_files import AuditFiles
from deskhand.guard.places import state_directory
from deskhand.guard.trail import last_entries, verify
from deskhand.model.errors import BadArguments, PermissionMissing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What can be done with the audit."""
    deeds = parser.add_subparsers(dest="deed", metavar="verify | show", required=True)
    check = deeds.add_parser("verify", help="say whether a line was changed, is missing, or was cut")
    show = deeds.add_parser("show", help="print the last lines")
    show.add_argument("-n", type=int, default=20, metavar="N", dest="count", help="how many (20)")
    for one in (check, show):
        one.add_argument("file", nargs="?", type=Path, metavar="FILE", help="another audit.jsonl than this user's")


def run(options: argparse.Namespace) -> int:
    """Verify or show; 1 where something is wrong."""
    path: Path = options.file or state_directory() / NAME
    if options.file and not path.exists():
        print(f"deskhand: there is no {path}", file=sys.stderr)
        return 1
    _check(path)
    try:
        return _show(path, options.count) if options.deed == "show" else _verify(path)
    except PermissionError as error:
        raise PermissionMissing(
            f"{error.filename} cannot be read", recovery="call this as the user it belongs to"
        ) from None


def _check(path: Path) -> None:
    """Raise BadArguments where something else lies at the place of a file: a pipe would be waited for, for ever."""
    files = AuditFiles(path.absolute())
    for file in (*files.present(), files.head):
        if os.path.lexists(file) and not file.is_file():
            raise BadArguments(f"{file} is not a file", recovery="name an audit.jsonl, and look at who put this there")
    if files.head.is_symlink():
        raise BadArguments(f"{files.head} is a link", recovery="name the audit.jsonl where it lies")


def _verify(path: Path) -> int:
    verdict = verify(path)
    for fault in verdict.faults:
        print(fault)
    said = f"{len(verdict.faults)} faults" if verdict.faults else "each follows the one before"
    print(f"{verdict.lines} lines in {path.parent}: {said}")
    return 1 if verdict.faults else 0


def _show(path: Path, count: int) -> int:
    for entry in last_entries(path, max(0, count)):
        print(readable(entry))
    return 0


def readable(entry: dict[str, Any]) -> str:
    """A line of the audit as people read it, with nothing in it that a terminal would obey."""
    detail = entry.get("detail")
    told = " ".join(f"{name}={value}" for name, value in detail.items()) if isinstance(detail, dict) else ""
    who = f"{entry.get('agent_id') or '-'}/{str(entry.get('session_id') or '-')[:8]}"
    parts = [_when(entry.get("ts")), f"{entry.get('outcome', ''):6}", f"{who:20}", f"{entry.get('tool', ''):18}", told]
    line = "  ".join(str(part) for part in parts if part)
    if entry.get("reason"):
        line += f"  ({entry['reason']})"
    return "".join(one if one.isprintable() else f"\\u{ord(one):04x}" for one in line.rstrip())


def _when(seconds: object) -> str:
    """A time of day, as people read it; nothing for what is none."""
    try:
        return datetime.fromtimestamp(float(str(seconds))).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "(no time)"
