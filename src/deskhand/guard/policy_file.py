"""The policy as it is written: policy.toml, read at the start, with the line at fault where there is one."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Final

from deskhand.guard.given import Flag, Given, GivenApp, given_app
from deskhand.guard.own_file import content_of, line_of_syntax
from deskhand.guard.places import config_directory
from deskhand.guard.policy import ElementRule, Policy, Rule, Words
from deskhand.model.errors import BadPolicy

NAME: Final = "policy.toml"
_WAYS: Final = ("exact", "contains", "regex")
_SWITCHES: Final = ("include_default", "allow_shell_scripts")
_LISTS: Final = ("denied_apps", "denied_elements", "denied_scripts", "denied_tools")
_GRANTS: Final = "grants"
_GIVEN_FLAGS: Final = {
    "clipboard_read": Flag.CLIPBOARD_READ,
    "clipboard_write": Flag.CLIPBOARD_WRITE,
    "system_keys": Flag.SYSTEM_KEYS,
}
_CRITERIA: Final = ("title", "description", "identifier")
Table = dict[str, Any]


def load_policy(file: Path | None = None) -> Policy:
    """The policy in force: of the file that is named, or of the user's own, where there is one; and the default one.

    Raises BadPolicy, naming the file and the line, where it cannot be used.
    """
    path = file or config_directory() / NAME
    content = content_of(path)
    if content is None and file is not None:
        raise BadPolicy(f"there is no policy {path}", recovery="name a file that is there, or leave --policy out")
    own, includes_default = _read(content, str(path), NAME) if content is not None else (Policy(), True)
    if not includes_default:
        return own
    text = resources.files("deskhand.guard").joinpath("default_policy.toml").read_text("utf-8")
    default, _ = _read(text, "default_policy.toml", "the default policy")
    return Policy(
        apps=own.apps + default.apps,
        elements=own.elements + default.elements,
        scripts=own.scripts + default.scripts,
        tools=own.tools + default.tools,
        allow_shell_scripts=own.allow_shell_scripts,
        given=own.given,
    )


def _read(text: str, path: str, called: str) -> tuple[Policy, bool]:
    """The policy of a text, and whether the default one is to be in force too."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadPolicy(f"{path}, {line_of_syntax(str(error), text)}") from None
    reader = _Reader(called)
    policy = reader.policy(raw)
    if reader.faults:
        fault = reader.faults[0]
        raise BadPolicy(f"{path}, line {_line_of(fault, text)}: {fault.what}")
    return policy, bool(raw.get("include_default", True))


# ---------------------------------------------------------------- what it says


@dataclass(frozen=True, slots=True)
class _Fault:
    """What is wrong; `word` is what stands in the line at fault."""

    where: str
    what: str
    word: str


@dataclass(slots=True)
class _Reader:
    """Makes rules of tables, and notes what is wrong with them."""

    called: str
    faults: list[_Fault] = field(default_factory=list)

    def policy(self, raw: Table) -> Policy:
        known = (*_SWITCHES, *_LISTS, _GRANTS)
        self._refuse_unknown(raw, known, "")
        for name in _SWITCHES:
            if not isinstance(raw.get(name, False), bool):
                self._fault(name, f"{name} must be true or false", name)
        return Policy(
            apps=tuple(self._rules(raw, "denied_apps")),
            elements=tuple(self._elements(raw)),
            scripts=tuple(self._rules(raw, "denied_scripts")),
            tools=tuple(self._rules(raw, "denied_tools")),
            allow_shell_scripts=raw.get("allow_shell_scripts") is True,
            given=self._given(raw.get(_GRANTS, {})),
        )

    def _given(self, raw: Any) -> Given:
        if not isinstance(raw, dict):
            self._fault(_GRANTS, f"{_GRANTS} must be a table, as [{_GRANTS}] begins one", _GRANTS)
            return Given()
        switches = (*_GIVEN_FLAGS, "everything")
        self._refuse_unknown(raw, ("apps", *switches), _GRANTS)
        for name in switches:
            if not isinstance(raw.get(name, False), bool):
                self._fault(_GRANTS, f"{_GRANTS}: {name} must be true or false", name)
        found: list[GivenApp] = []
        for written in self._items(raw, "apps"):
            try:
                found.append(given_app(written))
            except (ValueError, AttributeError) as error:
                why = f" ({error})" if isinstance(error, ValueError) else ""
                what = f"{_GRANTS}: {written!r} is not an app's name, or NAME=TIER{why}"
                self._fault(_GRANTS, what, str(written))
        flags = frozenset(flag for name, flag in _GIVEN_FLAGS.items() if raw.get(name) is True)
        return Given(tuple(found), flags, raw.get("everything") is True)

    def _items(self, raw: Table, name: str) -> Sequence[Any]:
        items = raw.get(name, [])
        if not isinstance(items, list):
            self._fault(name, f"{name} must be a list", name)
            return ()
        return items

    def _rules(self, raw: Table, name: str) -> list[Rule]:
        rules: list[Rule] = []
        for number, item in enumerate(self._items(raw, name), 1):
            where = f"{name} {number}"
            table = item if isinstance(item, dict) else {"exact": item}
            words = self._words({key: value for key, value in table.items() if key != "reason"}, where)
            if words is not None:
                rules.append(Rule(self._place(where), words, self._reason(table, where)))
        return rules

    def _elements(self, raw: Table) -> list[ElementRule]:
        rules: list[ElementRule] = []
        for number, item in enumerate(self._items(raw, "denied_elements"), 1):
            where = f"denied_elements {number}"
            if not isinstance(item, dict):
                self._fault(where, f"{where} must be a table, as [[denied_elements]] begins one", "denied_elements")
                continue
            self._refuse_unknown(item, ("app", "role", *_CRITERIA, "reason"), where)
            role = item.get("role")
            if role is not None and (not isinstance(role, str) or not role.strip()):
                self._fault(where, f"{where}: role must be a text", "role")
            if not item.keys() & {"role", *_CRITERIA}:
                self._fault(where, f"{where} names no role, title, description or identifier", "denied_elements")
            found = {name: self._text(item[name], where, name) for name in ("app", *_CRITERIA) if name in item}
            rules.append(ElementRule(self._place(where), role=role, reason=self._reason(item, where), **found))
        return rules

    def _text(self, value: Any, where: str, name: str) -> Words | None:
        return self._words(value if isinstance(value, dict) else {"exact": value}, where, name)

    def _words(self, table: Table, where: str, name: str = "") -> Words | None:
        at = f"{where}: {name}" if name else where
        unknown = [key for key in table if key not in _WAYS]
        if unknown:
            self._fault(where, f"{at}: unknown key {unknown[0]!r} (known: {', '.join(_WAYS)})", unknown[0])
            return None
        if len(table) != 1:
            self._fault(where, f"{at} must say one of {', '.join(_WAYS)}", name or next(iter(table), where.split()[0]))
            return None
        ((way, value),) = table.items()
        texts = value if isinstance(value, list) else [value]
        if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
            word = name or (way if way != "exact" else "")
            self._fault(where, f"{at}: {way} must be a text, or a list of some", word)
            return None
        try:
            return _words_of(way, texts)
        except ValueError as error:
            self._fault(where, f"{at}: {error}", way)
            return None

    def _reason(self, table: Table, where: str) -> str:
        reason = table.get("reason", "")
        if not isinstance(reason, str):
            self._fault(where, f"{where}: reason must be a text", "reason")
            return ""
        return reason

    def _refuse_unknown(self, table: Table, known: Sequence[str], where: str) -> None:
        for key in table:
            if key not in known:
                said = f"{where}: unknown key" if where else "unknown key"
                self._fault(where, f"{said} {key!r} (known: {', '.join(known)})", key)

    def _place(self, where: str) -> str:
        return f"{where} of {self.called}"

    def _fault(self, where: str, what: str, word: str) -> None:
        self.faults.append(_Fault(where, what, word))


def _words_of(way: str, texts: Sequence[str]) -> Words:
    """How a text is compared. Raises ValueError for a regular expression that is none."""
    said = " or ".join(texts)
    folded = [text.casefold().strip() for text in texts]
    if way == "exact":
        wanted = frozenset(text.removesuffix(".desktop") for text in folded)
        return Words(said, lambda found: found in wanted)
    if way == "contains":
        return Words(f"…{said}…", lambda found: any(text in found for text in folded))
    patterns = [_searching(text) for text in texts]
    return Words(f"/{said}/", lambda found: any(search(found) for search in patterns))


def _searching(pattern: str) -> Callable[[str], bool]:
    """A search in time linear to the text, whatever the pattern: titles come from anywhere."""
    import re2  # only who uses it waits until it has loaded

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else error.args[0]
        raise ValueError(f"{pattern!r} is no regular expression: {reason}") from None
    return lambda found: compiled.search(found.encode("utf-8", "replace").decode()) is not None


# ---------------------------------------------------------------- the line at fault


def _line_of(fault: _Fault, text: str) -> int:
    """The line that brings a fault in: the first that the text cannot be read up to without it.

    TOML's reader tells no lines. Some beginnings are no TOML, in the middle of a list; then the line with the word at
    fault is looked for among those that were needed to go on.
    """
    lines = text.splitlines()
    start = 0
    for end in range(1, len(lines) + 1):
        try:
            raw = tomllib.loads("\n".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue
        reader = _Reader("")
        reader.policy(raw)
        if any((one.where, one.what) == (fault.where, fault.what) for one in reader.faults):
            among = range(start, end)
            return next((at for at in among if fault.word and fault.word in lines[at]), start) + 1
        start = end
    return len(lines)
