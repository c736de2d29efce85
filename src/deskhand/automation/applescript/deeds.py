"""The statements that do something on the desktop: what each is done with, what it is called, what came of it."""

from dataclasses import dataclass

from deskhand.automation.applescript import acts, keys, model, values
from deskhand.automation.applescript.acts import Done
from deskhand.automation.applescript.evaluate import Evaluator
from deskhand.automation.applescript.references import Path
from deskhand.automation.applescript.things import AppThing
from deskhand.automation.applescript.values import WrongValue


@dataclass(frozen=True, slots=True)
class Deed:
    """One act: the line it stands in, the command, and what came of it."""

    line: int
    act: str
    done: Done


def do(act: model.Act, evaluator: Evaluator) -> Done:
    """Do what a statement says."""
    context = evaluator.context
    match act:
        case model.Click(at=None):
            return acts.click(context, evaluator.path(act.target))
        case model.Click():
            assert act.at is not None
            return acts.click_at(context, evaluator.value(act.at))
        case model.Perform():
            return acts.perform(context, evaluator.path(act.target), values.text(evaluator.value(act.action)))
        case model.SetProperty():
            value = evaluator.value(act.value)
            return acts.set_property(context, evaluator.path(act.owner), act.name, value)
        case model.SetClipboard():
            return acts.set_clipboard(context, values.text(evaluator.value(act.value)))
        case model.Keystroke():
            return _keystroke(act, evaluator)
        case model.KeyCode():
            return _key_codes(act, evaluator)
        case model.Notify():
            return _notify(act, evaluator)
        case model.Close():
            return acts.close(context, evaluator.thing(act.target))
    assert isinstance(act, model.AppCommand)
    return _command(act, evaluator)


def _keystroke(act: model.Keystroke, evaluator: Evaluator) -> Done:
    text = values.text(evaluator.value(act.text))
    acts.refuse_wrong_window(evaluator.context, evaluator.innermost)
    return acts.keystroke(evaluator.context, text, act.modifiers)


def _key_codes(act: model.KeyCode, evaluator: Evaluator) -> Done:
    codes = evaluator.value(act.codes)
    wanted = codes if values.is_list(codes) else [codes]
    chords = [keys.chord_of_code(code, act.modifiers) for code in wanted]
    acts.refuse_wrong_window(evaluator.context, evaluator.innermost)
    return acts.press_keys(evaluator.context, chords)


def _notify(act: model.Notify, evaluator: Evaluator) -> Done:
    title = values.text(evaluator.value(act.title)) if act.title else "Script"
    parts = [values.text(evaluator.value(one)) for one in (act.subtitle, act.text) if one is not None]
    return acts.notify(evaluator.context, title, "\n".join(parts))


def _command(act: model.AppCommand, evaluator: Evaluator) -> Done:
    """`activate`, `launch`, `quit`."""
    context, path = evaluator.context, evaluator.path(act.target)
    if not isinstance(path.root, AppThing) or path.steps:
        found = evaluator.thing(act.target)
        if act.verb == "activate" and not isinstance(found, AppThing):
            return acts.bring_forward(context, found)
        if not isinstance(found, AppThing):
            raise WrongValue(f"{act.verb} is for applications, not for {found.words()}")
        path = Path(found)
    assert isinstance(path.root, AppThing)
    return acts.quit_app(context, path.root) if act.verb == "quit" else acts.activate(context, path.root)


def name_of(act: model.Act) -> str:
    """The command's words, never what is typed or set."""
    match act:
        case model.SetProperty() | model.SetVariable():
            return f"set {act.name}"
        case model.SetClipboard():
            return "set the clipboard"
        case model.Click():
            return "click"
        case model.Perform():
            return "perform action"
        case model.Keystroke():
            return "keystroke"
        case model.KeyCode():
            return "key code"
        case model.Notify():
            return "display notification"
        case model.AppCommand():
            return act.verb
    return "close"
