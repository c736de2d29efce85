"""A tool's signature as JSON Schema, and raw arguments as typed values. The only file that knows pydantic."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cached_property
from typing import Any, Final, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from deskhand.model.errors import BadArguments, MissingArgument

LONGEST_TEXT: Final = 10_000
"""Characters of a text argument that names no limit of its own."""

_PRIVATE: Final = "deskhand.private"
# What every listing would pay for and no model needs: pydantic's titles, and limits of texts that nobody reaches.
_UNSAID: Final = ("title", "minLength", "maxLength", _PRIVATE)


class _Absent:
    """Stands in a result for a field that is not to be shown."""

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Final[Any] = _Absent()
"""A field of a result with this value is left out of the reply."""


def arg(description: str | None = None, *, private: bool = False, shown_as: str | None = None, **limits: Any) -> Any:
    """Describe a parameter: `Annotated[int, arg("Seconds to wait", ge=0, le=30)]`.

    `private` keeps its value out of the audit: only its length is noted there. `shown_as` is the type that the schema
    tells of, where more is taken than is asked for.
    """
    extra: dict[str, Any] = ({_PRIVATE: True} if private else {}) | ({"type": shown_as} if shown_as else {})
    return Field(description=description, json_schema_extra=extra or None, **limits)


class Arguments:
    """What a handler takes after its desk. The schema and the parser are made when they are first needed.

    A parameter whose type is a dataclass stands for the arguments that its fields name: several tools share them so.
    """

    def __init__(self, handler: Callable[..., object]) -> None:
        self._handler = handler

    @cached_property
    def types(self) -> dict[str, Any]:
        """The type of each parameter, as it is annotated."""
        hints = get_type_hints(self._handler, include_extras=True)
        _, *parameters = inspect.signature(self._handler).parameters
        return {name: hints[name] for name in parameters}

    @cached_property
    def _model(self) -> type[BaseModel]:
        given: dict[str, Any] = {}
        for name, parameter in list(inspect.signature(self._handler).parameters.items())[1:]:
            kind = self.types[name]
            if is_dataclass(kind):
                hints = get_type_hints(kind, include_extras=True)
                given |= {
                    one.name: (hints[one.name], ... if one.default is MISSING else one.default) for one in fields(kind)
                }
            else:
                given[name] = (kind, ... if parameter.default is parameter.empty else parameter.default)
        config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, str_max_length=LONGEST_TEXT)
        return create_model("Arguments", __config__=config, **given)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The input schema, with nothing in it that a model does not need."""
        return _terse(self._model.model_json_schema())

    @property
    def names(self) -> list[str]:
        return list(self._model.model_fields)

    def parse(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Typed values; raises BadArguments (or MissingArgument) naming the argument that is wrong."""
        for name in raw:
            if name not in self._model.model_fields:
                known = ", ".join(self.names) or "none"
                raise BadArguments(f"Unknown parameter: {name}", recovery=f"leave it out; the tool takes: {known}")
        # Clients write null for what they leave out, and some 5.0 for 5: JSON knows one kind of number.
        given = {
            name: int(value) if isinstance(value, float) and value.is_integer() else value
            for name, value in raw.items()
            if value is not None
        }
        try:
            parsed = self._model.model_validate(given)
        except ValidationError as error:
            raise _refusal(error) from None
        return {name: _collected(kind, name, parsed) for name, kind in self.types.items()}

    def tellable(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the audit may note them: of private ones, the length."""
        told: dict[str, Any] = {}
        for name, field in self._model.model_fields.items():
            value = raw.get(name)
            if value is None or value == field.default:
                continue
            if name in self._private:
                told[f"{name}_length"] = len(str(value))
            else:
                told[name] = value
        return told

    def are_private(self, raw: Mapping[str, Any]) -> bool:
        """Whether there is any among the arguments that the audit may not note."""
        return any(raw.get(name) is not None for name in self._private)

    @cached_property
    def _private(self) -> frozenset[str]:
        # In the full schema, since the mark may stand at one of the types that a parameter can have.
        entries = self._model.model_json_schema()["properties"].items()
        return frozenset(name for name, entry in entries if _is_private(entry))


def _collected(kind: Any, name: str, parsed: BaseModel) -> Any:
    if is_dataclass(kind):
        return kind(**{one.name: getattr(parsed, one.name) for one in fields(kind)})  # type: ignore[operator]
    return getattr(parsed, name)


def plain(value: object) -> Any:
    """A result as JSON has it: dataclasses as objects without their ABSENT fields, enums as their values."""
    if value is None or (isinstance(value, bool | int | float | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(found) for one in fields(value) if (found := getattr(value, one.name)) is not ABSENT}
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items() if item is not ABSENT}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _is_private(entry: Mapping[str, Any]) -> bool:
    return bool(entry.get(_PRIVATE)) or any(map(_is_private, entry.get("anyOf", ())))


def _refusal(error: ValidationError) -> BadArguments:
    first, *rest = error.errors(include_url=False, include_context=False, include_input=False)
    # Where several types are possible, each has its complaint, and its name stands in the path.
    where = ".".join(str(part) for at, part in enumerate(first["loc"]) if at == 0 or isinstance(part, int))
    if first["type"] == "missing":
        return MissingArgument(f"Missing required parameter: {where}")
    said = dict.fromkeys(one["msg"] for one in (first, *rest) if one["loc"][0] == first["loc"][0])
    return BadArguments(f"{where}: {'; '.join(said)}")


def _terse(schema: dict[str, Any]) -> dict[str, Any]:
    definitions = schema.get("$defs", {})
    properties = {name: _terse_property(entry, definitions) for name, entry in schema.get("properties", {}).items()}
    terse: dict[str, Any] = {"type": "object", "properties": properties}
    if schema.get("required"):
        terse["required"] = schema["required"]
    terse["additionalProperties"] = False
    return terse


def _terse_property(entry: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """One property: without null alternatives, references, and what is better left unsaid."""
    entry = {key: value for key, value in entry.items() if key not in _UNSAID}
    if "$ref" in entry:
        entry = {**definitions[entry.pop("$ref").rpartition("/")[2]], **entry}
    choices = [one for one in entry.pop("anyOf", []) if one.get("type") != "null"]
    if {"type": "number"} in choices:
        choices = [one for one in choices if one != {"type": "integer"}]
    if len(choices) == 1:
        entry = {**_terse_property(choices[0], definitions), **entry}
    elif choices:
        entry = {"anyOf": [_terse_property(one, definitions) for one in choices], **entry}
    if entry.get("default", 0) is None:
        del entry["default"]
    elif isinstance(entry.get("default"), float) and entry["default"].is_integer():
        entry["default"] = int(entry["default"])
    if "items" in entry:
        entry["items"] = _terse_property(entry["items"], definitions)
    return entry
