"""What can be done to one element, and whether the application says that it did it."""

import time
from typing import Any, Final

from deskhand.model.errors import ElementGone
from deskhand.platforms.base import Offers
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.application import Question
from deskhand.platforms.linux.atspi.link import Asker
from deskhand.platforms.linux.atspi.nodes import roles
from deskhand.platforms.linux.dbus import BusError, Unanswered, write_body

_ACTION_COUNT: Final = write_body("ss", (names.ACTION, "NActions"))
_CARET: Final = write_body("ss", (names.TEXT, "CaretOffset"))
_BUTTONS: Final = roles("push button", "toggle button")
_SPIN_BUTTON: Final = names.NUMBER["spin button"]
# GTK 4 holds a button pressed for 250 ms before that counts.
_GTK4_PRESS_SECONDS: Final = 0.27
# Firefox asks the page's process for the actions only when it was asked for them.
_FETCHING_SECONDS: Final = 0.15


def perform(asker: Asker, path: str, action: int) -> bool:
    """Do an action by its place among those offered."""
    count = asker.ask_one((path, names.PROPERTIES, "Get", "ss", _ACTION_COUNT))
    if check(asker, path, count) and action >= count:
        return False  # browsers say yes to any number
    done = _tell(asker, (path, names.ACTION, "DoAction", "i", (action,)))
    if done and asker.application.is_gtk4 and _role(asker, path) in _BUTTONS:
        time.sleep(_GTK4_PRESS_SECONDS)
    return done


def focus(asker: Asker, path: str) -> bool:
    """Give an element the keyboard."""
    return _tell(asker, (path, names.COMPONENT, "GrabFocus", "", ()))


def set_text(asker: Asker, path: str, text: str) -> bool:
    """Replace the text of a field."""
    if asker.application.is_firefox:  # which says yes and does nothing
        check(asker, path, asker.ask_one((path, names.ACCESSIBLE, "GetInterfaces", "", ())))
        return False
    return _tell(asker, (path, names.EDITABLE_TEXT, "SetTextContents", "s", (text,)), names.EDITABLE_TEXT)


def set_number(asker: Asker, path: str, number: float) -> bool:
    """Set the value of a slider or the like."""
    if asker.application.is_firefox and _role(asker, path) == _SPIN_BUTTON:
        return False  # which does not tell the page
    arguments = (names.VALUE, "CurrentValue", ("d", float(number)))
    return _tell(asker, (path, names.PROPERTIES, "Set", "ssv", arguments), names.VALUE)


def offers(asker: Asker, path: str) -> Offers:
    """What an element can do, and what it says of itself. Raises ElementGone."""
    attributes, interfaces = asker.ask(
        [(path, names.ACCESSIBLE, "GetAttributes", "", ()), (path, names.ACCESSIBLE, "GetInterfaces", "", ())]
    )
    known = interfaces if check(asker, path, interfaces) else []
    actions = _actions(asker, path) if names.ACTION in known else ()
    if not actions and names.ACTION in known and asker.application.is_firefox:
        time.sleep(_FETCHING_SECONDS)
        actions = _actions(asker, path)
    return Offers(
        actions=actions,
        attributes=attributes if isinstance(attributes, dict) else {},
        interfaces=tuple(one.rpartition(".")[2] for one in known),
    )


def _actions(asker: Asker, path: str) -> tuple[str, ...]:
    """The names of what an element can do; where they are told without names, those are asked for one by one."""
    found = asker.ask_one((path, names.ACTION, "GetActions", "", ()))
    if not isinstance(found, list):
        return ()
    told = [action[0].strip(";") for action in found]
    if all(told):
        return tuple(told)
    answers = asker.ask((path, names.ACTION, "GetName", "i", (number,)) for number in range(len(told)))
    return tuple(
        name or (answer if isinstance(answer, str) else "") for name, answer in zip(told, answers, strict=True)
    )


def insert_text(asker: Asker, path: str, text: str) -> bool:
    """Put text where the caret is, in place of what is selected."""
    if not asker.application.toolkit.lower().startswith("gtk"):
        return False  # Qt takes it for a new text of the whole field; Firefox says yes and does nothing
    caret, selection = asker.ask(
        [
            (path, names.PROPERTIES, "Get", "ss", _CARET),
            (path, names.TEXT, "GetSelection", "i", (0,)),
        ]
    )
    if not check(asker, path, caret):
        return False
    questions: list[Question] = []
    if isinstance(selection, tuple) and selection[1] > selection[0] >= 0:
        caret = selection[0]
        questions.append((path, names.EDITABLE_TEXT, "DeleteText", "ii", selection))
    length = len(text.encode("utf-8"))
    questions.append((path, names.EDITABLE_TEXT, "InsertText", "isi", (caret, text, length)))
    questions.append((path, names.TEXT, "SetCaretOffset", "i", (caret + len(text),)))
    return asker.ask(questions)[-2] is True


def check(asker: Asker, path: str, answer: Any) -> bool:
    """Whether an answer is one: False where the element cannot do what was asked.

    Raises NotAnswering where none came, ElementGone where the element is not there any more.
    """
    if isinstance(answer, Unanswered):
        raise asker.application.hangs()
    if isinstance(answer, BusError):
        # Toolkits answer alike for an element that has gone and one that has no such ability.
        if answer.name.endswith(("UnknownObject", "UnknownMethod", "ServiceUnknown")) and _role(asker, path) is None:
            raise ElementGone("that element is not there any more")
        return False
    return True


def _tell(asker: Asker, question: Question, ability: str = "") -> bool:
    """Whether the application says yes, and has the ability: atk-bridge and Qt say yes also where they do nothing."""
    path = question[0]
    # Asked first and by itself: what hangs is not told what to do, which it would do some time later.
    interfaces = asker.ask_one((path, names.ACCESSIBLE, "GetInterfaces", "", ()))
    if not check(asker, path, interfaces) or (ability and ability not in interfaces):
        return False
    answer = asker.ask_one(question)
    return check(asker, path, answer) and answer in (True, ())


def _role(asker: Asker, path: str) -> int | None:
    answer = asker.ask_one((path, names.ACCESSIBLE, "GetRole", "", ()))
    if isinstance(answer, Unanswered):
        raise asker.application.hangs()
    return answer if isinstance(answer, int) else None
