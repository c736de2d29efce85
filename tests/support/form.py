"""A GTK 3 window with one of every control, for tests: `python form.py TITLE [ID=TEXT …]`.

It is written against the C library, which every GTK program brings along. What happens to its pad and its button stands
in its label "said: …". `ID=TEXT` gives one of its controls another text, `limit=N` its note no more than N characters; `program=NAME` comes first and names
the program.
"""

import ctypes
import sys
from typing import Any, Final

_CONTROLS: Final = """
<interface>
  <object class="GtkAdjustment" id="range"><property name="upper">100</property></object>
  <object class="GtkWindow" id="window">
    <property name="default-width">420</property>
    <child><object class="GtkBox"><property name="visible">1</property>
      <property name="orientation">vertical</property><property name="margin">8</property>
      <child><object class="GtkLabel" id="said"><property name="visible">1</property>
        <property name="label">said: nothing</property></object></child>
      <child><object class="GtkLabel" id="words"><property name="visible">1</property>
        <property name="ellipsize">end</property><property name="label">words</property></object></child>
      <child><object class="GtkEntry" id="name"><property name="visible">1</property>
        <child internal-child="accessible"><object class="AtkObject" id="a-name">
          <property name="AtkObject::accessible-name">Name</property></object></child></object></child>
      <child><object class="GtkEntry" id="note"><property name="visible">1</property>
        <child internal-child="accessible"><object class="AtkObject" id="a-note">
          <property name="AtkObject::accessible-name">Note</property>
          <property name="AtkObject::accessible-description">what else there is to say</property>
        </object></child></object></child>
      <child><object class="GtkEntry" id="password"><property name="visible">1</property>
        <property name="visibility">0</property><property name="input-purpose">password</property>
        <child internal-child="accessible"><object class="AtkObject" id="a-password">
          <property name="AtkObject::accessible-name">Password</property></object></child></object></child>
      <child><object class="GtkCheckButton" id="agree"><property name="visible">1</property>
        <property name="label">Agree</property></object></child>
      <child><object class="GtkScale" id="volume"><property name="visible">1</property>
        <property name="adjustment">range</property><property name="digits">0</property>
        <child internal-child="accessible"><object class="AtkObject" id="a-volume">
          <property name="AtkObject::accessible-name">Volume</property></object></child></object></child>
      <child><object class="GtkComboBoxText" id="colour"><property name="visible">1</property>
        <items><item>red</item><item>green</item><item>blue</item></items><property name="active">0</property>
        <child internal-child="accessible"><object class="AtkObject" id="a-colour">
          <property name="AtkObject::accessible-name">Colour</property></object></child></object></child>
      <child><object class="GtkButton" id="button"><property name="visible">1</property>
        <property name="label">Press me</property></object></child>
      <child><object class="GtkButton" id="disabled"><property name="visible">1</property>
        <property name="sensitive">0</property><property name="label">Disabled</property></object></child>
      <child><object class="GtkEventBox" id="pad"><property name="visible">1</property>
        <property name="height-request">120</property>
        <property name="events">GDK_BUTTON_PRESS_MASK|GDK_SCROLL_MASK</property>
        <child><object class="GtkLabel"><property name="visible">1</property>
          <property name="label">Pad</property></object></child></object></child>
    </object></child>
  </object>
</interface>
"""
PROGRAM: Final = __file__
_MODIFIERS: Final = {1: "shift", 4: "ctrl", 8: "alt", 64: "super"}
_BUTTONS: Final = {1: "left", 2: "middle", 3: "right"}
_DIRECTIONS: Final = ("up", "down", "left", "right")
_DOUBLE: Final = 5  # GDK_2BUTTON_PRESS
_Handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class Form:
    """The window."""

    def __init__(self, title: str, program: str) -> None:
        self.gtk = ctypes.CDLL("libgtk-3.so.0")
        self.gdk = ctypes.CDLL("libgdk-3.so.0")
        self.objects = ctypes.CDLL("libgobject-2.0.so.0")
        for function in (self.gtk.gtk_builder_new_from_string, self.gtk.gtk_builder_get_object):
            function.restype = ctypes.c_void_p
        ctypes.CDLL("libglib-2.0.so.0").g_set_prgname(program.encode())
        self.gtk.gtk_init(None, None)
        source = _CONTROLS.encode()
        self.builder = ctypes.c_void_p(self.gtk.gtk_builder_new_from_string(source, ctypes.c_ssize_t(len(source))))
        self.said: list[str] = []
        self.kept: list[Any] = []
        self.gtk.gtk_window_set_title(self.part("window"), title.encode())
        self.on("pad", "button-press-event", self.pressed)
        self.on("pad", "scroll-event", self.scrolled)
        self.on("window", "destroy", lambda _: self.gtk.gtk_main_quit())
        self.on("button", "clicked", lambda _: self.say("pressed"))

    def part(self, name: str) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.gtk.gtk_builder_get_object(self.builder, name.encode()))

    def on(self, name: str, signal: str, handle: Any) -> None:
        def handler(_: int, event: int, __: int) -> int:
            handle(ctypes.c_void_p(event))
            return 0

        self.kept.append(_Handler(handler))
        self.objects.g_signal_connect_data(self.part(name), signal.encode(), self.kept[-1], None, None, 0)

    def say(self, words: str) -> None:
        """Add to what has happened."""
        self.said.append(words)
        self.gtk.gtk_label_set_text(self.part("said"), f"said: {', '.join(self.said[-12:])}".encode())

    def pressed(self, event: ctypes.c_void_p) -> None:
        kind, number = self.gdk.gdk_event_get_event_type(event), ctypes.c_uint()
        self.gdk.gdk_event_get_button(event, ctypes.byref(number))
        button = _BUTTONS.get(number.value, str(number.value))
        self.say("+".join([*self.modifiers(event), "double" if kind == _DOUBLE else button]))

    def scrolled(self, event: ctypes.c_void_p) -> None:
        direction = ctypes.c_int()
        self.gdk.gdk_event_get_scroll_direction(event, ctypes.byref(direction))
        self.say(_DIRECTIONS[direction.value])

    def modifiers(self, event: ctypes.c_void_p) -> list[str]:
        state = ctypes.c_uint()
        self.gdk.gdk_event_get_state(event, ctypes.byref(state))
        return [word for bit, word in _MODIFIERS.items() if state.value & bit]

    def set_text(self, name: str, text: str) -> None:
        if name == "limit":
            self.gtk.gtk_entry_set_max_length(self.part("note"), int(text))
            return
        is_entry = name in ("name", "note", "password")
        setter = self.gtk.gtk_entry_set_text if is_entry else self.gtk.gtk_label_set_text
        setter(self.part(name), text.encode())

    def run(self) -> None:
        self.gtk.gtk_widget_show(self.part("window"))
        self.gtk.gtk_main()


def main() -> None:
    title, *texts = sys.argv[1:] or ["Form"]
    named = [text.removeprefix("program=") for text in texts if text.startswith("program=")]
    form = Form(title, *(named or ["form"]))
    for text in texts[len(named) :]:
        name, _, words = text.partition("=")
        form.set_text(name, words)
    form.run()


if __name__ == "__main__":
    main()
