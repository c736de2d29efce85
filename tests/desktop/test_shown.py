"""What is shown of a tree: the elements that an agent would name, once each, under the words that people see."""

from typing import Final

import pytest

from deskhand.desktop.elements import shown
from deskhand.model.element import Element, NodeRef, State
from deskhand.model.geometry import Rect

_PLACE: Final = Rect(10, 10, 100, 20)
_STATES: Final = {
    "focused": State.FOCUSED,
    "focusable": State.FOCUSABLE,
    "editable": State.EDITABLE,
    "expanded": State.EXPANDED,
    "selected": State.SELECTED,
}


def tree(drawing: str) -> list[Element]:
    """Elements from lines `role: title = value | flag, flag`, indented by two spaces a level.

    The flags are states; `nowhere` takes the place away, `thin` makes a line of it, `elsewhere` puts it aside, and
    `tip …` is a description.
    """
    lines = [line for line in drawing.splitlines() if line.strip()]
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    return [_element(line[margin:], number) for number, line in enumerate(lines)]


def _element(line: str, number: int) -> Element:
    words, _, flags = line.partition("|")
    head, _, value = words.partition("=")
    role, _, title = head.strip().partition(":")
    named = [flag.strip() for flag in flags.split(",") if flag.strip()]
    tips = [flag.removeprefix("tip ") for flag in named if flag.startswith("tip ")]
    states = State.ENABLED
    for flag in named:
        states |= _STATES.get(flag, State(0))
    places = {"nowhere": None, "thin": Rect(10, 10, 100, 1), "elsewhere": Rect(500, 500, 100, 20)}
    place = next((places[flag] for flag in named if flag in places), _PLACE)
    return Element(
        NodeRef("app", f"/{number}"),
        role,
        title.strip(),
        value.strip() or ("" if "=" in words else None),
        place,
        states,
        depth=(len(line) - len(line.lstrip())) // 2,
        description=tips[0] if tips else "",
    )


def rows(drawing: str) -> list[str]:
    """The compact rows of a drawn tree, drawn in the same way."""
    return [_row(one) for one in shown.compact(tree(drawing))]


def _row(one: shown.Shown) -> str:
    value = "" if one.element.value is None else f" = {one.element.value}".rstrip()
    title = f": {one.title}" if one.title else ""
    return f"{'  ' * one.depth}{one.element.role}{title}{value}"


def drawn(drawing: str) -> list[str]:
    """The lines of a drawing."""
    lines = [line.rstrip() for line in drawing.splitlines() if line.strip()]
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    return [line[margin:] for line in lines]


# ---------------------------------------------------------------- boxes and noise


def test_boxes_without_a_title_are_not_shown_and_depth_counts_what_is() -> None:
    assert rows(
        """
        window: Editor
          generic
            group
              button: Save
              group: Colours
                button: Red
        """
    ) == drawn(
        """
        window: Editor
          button: Save
          group: Colours
            button: Red
        """
    )


def test_separators_scroll_bars_lines_and_what_says_nothing_are_not_shown() -> None:
    assert rows(
        """
        window: Editor
          separator
          scrollbar: Vertical = 0
          img
          label
          label: a line | thin
          text
          alert | nowhere
          button: Save
        """
    ) == ["window: Editor", "  button: Save"]


def test_what_has_the_keyboard_is_shown_whatever_it_is() -> None:
    assert rows("window: Editor\n  generic | focused") == ["window: Editor", "  generic"]
    assert rows("window: Editor\n  scrollbar: Vertical | focused") == ["window: Editor", "  scrollbar: Vertical"]


def test_an_icon_that_can_be_used_is_shown() -> None:
    assert rows("window: Editor\n  img | focusable") == ["window: Editor", "  img"]


def test_an_unnamed_button_with_a_place_is_shown_and_one_that_is_nowhere_is_not() -> None:
    assert rows("window: Editor\n  button\n  button | nowhere") == ["window: Editor", "  button"]


def test_boxes_in_boxes_are_one() -> None:
    assert rows(
        """
        dialog: Save
          group: Header
            group: Stack
              generic: Path
                button: Home
                button: Documents
        """
    ) == drawn(
        """
        dialog: Save
          generic: Path
            button: Home
            button: Documents
        """
    )


def test_what_says_again_how_the_window_is_called_is_not_shown() -> None:
    assert rows(
        """
        window: Demo
          label: Demo
          generic: Demo
            button: Run
        """
    ) == ["window: Demo", "  button: Run"]


def test_the_window_of_a_menu_is_not_shown_beside_the_menu() -> None:
    assert rows(
        """
        window
          menu
            menuitem: Undo
            menuitem: Redo
        """
    ) == ["menu", "  menuitem: Undo", "  menuitem: Redo"]


def test_a_page_whose_tabs_are_not_shown_is_only_a_box() -> None:
    assert rows(
        """
        window: Editor
          tablist
            tab = selected | nowhere
              textbox = hello
        """
    ) == ["window: Editor", "  textbox = hello"]


def test_bars_that_have_no_place_are_not_shown_nor_what_is_in_them() -> None:
    assert rows(
        """
        window: Browser
          menubar | nowhere
            menu: File
          toolbar: Menu Bar | nowhere
            button: Close
          toolbar: Tabs
            button: Close
            button: New
          menubar
            menu: File
        """
    ) == drawn(
        """
        window: Browser
          toolbar: Tabs
            button: Close
            button: New
          menubar
            menu: File
        """
    )


# ---------------------------------------------------------------- words


def test_a_control_is_named_by_the_words_in_it_which_are_not_shown_again() -> None:
    assert rows(
        """
        window: Demo
          button
            img: Save icon
            label: Save
          checkbox: Agree = checked
            label: Agree
          listitem = selected
            label: Home
          tab: Tab = selected
            label: Info
        """
    ) == drawn(
        """
        window: Demo
          button: Save icon Save
          checkbox: Agree = checked
          listitem: Home = selected
          tab: Info = selected
        """
    )


def test_a_paragraph_is_told_with_its_links_in_their_place() -> None:
    assert rows(
        """
        document: Page
          paragraph
            text: Please read the
            link: terms
            text: below.
          listitem
            text: •
            text: First
        """
    ) == drawn(
        """
        document: Page
          paragraph: Please read the terms below.
            link: terms
          listitem: First
        """
    )


def test_a_cell_in_parts_is_one_cell_and_empty_cells_are_not_shown() -> None:
    assert rows(
        """
        table: Files
          cell
            cell
            cell: notes.txt
          cell
            cell: 22:27
            cell: 22:27 | nowhere
          cell = 
          cell =  | editable
        """
    ) == drawn(
        """
        table: Files
          cell: notes.txt
          cell: 22:27
          cell =
        """
    )  # fmt: skip


def test_a_row_of_a_tree_says_whether_it_is_expanded() -> None:
    assert rows(
        """
        list: Demos
          listitem
            group: Benchmark = expanded
              button: Collapse
              label: Benchmark
        """
    ) == drawn(
        """
        list: Demos
          listitem: Benchmark = expanded
            button: Collapse
        """
    )


def test_an_icon_is_known_by_its_tooltip_where_no_words_are_on_it() -> None:
    assert rows(
        """
        window: Sums
          button | tip Pi (Ctrl+P)
            label: π
          button | tip Clear
          group | tip a box
            button: One
        """
    ) == ["window: Sums", "  button: π", "  button: Clear", "  button: One"]


def test_a_text_field_does_not_show_its_text_twice() -> None:
    assert rows("window: Page\n  textbox: Notes = Rich text\n    text: Rich text") == [
        "window: Page",
        "  textbox: Notes = Rich text",
    ]


def test_the_label_of_a_field_is_not_shown_beside_it() -> None:
    assert rows(
        """
        form: Order
          label: Name:
          textbox: Name = Ada
          label: Gift wrap
            checkbox: Gift wrap = unchecked
          label: Something else
        """
    ) == drawn(
        """
        form: Order
          textbox: Name = Ada
          checkbox: Gift wrap = unchecked
          label: Something else
        """
    )


def test_a_field_without_a_name_is_meant_by_the_words_with_a_colon_before_it() -> None:
    assert rows("dialog: Open\n  label: Files of type:\n  combobox = All\n  label: no\n  combobox = Some") == [
        "dialog: Open",
        "  combobox: Files of type = All",
        "  label: no",
        "  combobox = Some",
    ]


def test_fields_that_are_all_named_after_their_group_are_told_apart_by_their_labels() -> None:
    assert rows(
        """
        dialog: Preferences
          group: Window
            label: Width:
            spinbutton: Window = 700
            label: Height:
            spinbutton: Window = 500
        """
    ) == drawn(
        """
        dialog: Preferences
          group: Window
            spinbutton: Width = 700
            spinbutton: Height = 500
        """
    )


def test_a_titled_box_names_the_one_thing_in_it() -> None:
    assert rows(
        """
        window: Writer
          group: Font Name
            textbox = DejaVu Serif
            button = not pressed
          toolbar: Styles
            button = pressed
        """
    ) == drawn(
        """
        window: Writer
          group: Font Name
            textbox: Font Name = DejaVu Serif
            button = not pressed
          button: Styles = pressed
        """
    )


def test_a_name_that_only_says_what_it_is_is_none() -> None:
    assert rows("window: Demo\n  tablist: Tab list\n    tab: One") == ["window: Demo", "  tablist", "    tab: One"]


def test_a_few_words_on_one_line_are_told_together() -> None:
    assert rows(
        """
        window: Shortcuts
          group
            generic
              label: Ctrl
              label: +
              label: N
            label: Open a new window
          group
            label: one
            label: other | elsewhere
          group
            label: words
            button: Do
        """
    ) == drawn(
        """
        window: Shortcuts
          label: Ctrl + N Open a new window
          label: one
          label: other
          label: words
          button: Do
        """
    )


def test_a_row_of_a_list_names_the_one_field_in_it() -> None:
    assert rows("list\n  listitem: Decimals\n    spinbutton = 9") == [
        "list",
        "  listitem: Decimals",
        "    spinbutton: Decimals = 9",
    ]


# ---------------------------------------------------------------- menus and choices


def test_an_open_menu_stands_below_its_item() -> None:
    assert rows(
        """
        menubar
          menuitem: File | focused
            menu
              menuitem: New
                label: Ctrl+N
              menuitem: Recent
          menuitem: Edit
        """
    ) == drawn(
        """
        menubar
          menuitem: File
            menuitem: New = Ctrl+N
            menuitem: Recent
          menuitem: Edit
        """
    )


def test_a_button_in_a_button_is_one_also_while_its_menu_is_open() -> None:
    assert rows("window: Sums\n  button | tip Menu\n    button | tip Menu") == ["window: Sums", "  button: Menu"]
    assert rows(
        """
        window: Sums
          button | tip Mode
            button
              label: Basic
            menu
              menuitem: Advanced
        """
    ) == ["window: Sums", "  button: Basic", "    menuitem: Advanced"]
    assert rows(
        "window: Sums\n  button: Menu = expanded\n    button: Menu = pressed\n    menu\n      menuitem: Quit"
    ) == [
        "window: Sums",
        "  button: Menu = expanded",
        "    menuitem: Quit",
    ]


def test_a_menu_with_nothing_in_it_is_not_shown() -> None:
    assert rows("window: Page\n  menu\n  menu: File") == ["window: Page", "  menu: File"]


def test_a_closed_combo_box_shows_what_is_chosen_and_not_its_list() -> None:
    assert rows(
        """
        form: Order
          combobox: Colour
            menu
              menuitem: Red = selected
              menuitem: Green
          combobox: Size = Small
            list | nowhere
              listitem: Small
              listitem: Large
            button
        """
    ) == ["form: Order", "  combobox: Colour = Red", "  combobox: Size = Small"]


def test_an_open_combo_box_shows_its_list() -> None:
    assert rows(
        """
        form: Order
          combobox: Colour = Red | expanded
            menu
              menuitem: Red = selected
              menuitem: Green
          combobox: Size = Small
            list: Sizes | elsewhere
              listitem: Small
        """
    ) == drawn(
        """
        form: Order
          combobox: Colour = Red
            menu
              menuitem: Red = selected
              menuitem: Green
          combobox: Size = Small
            list: Sizes
              listitem: Small
        """
    )


def test_the_field_of_a_combo_box_to_type_into_is_shown() -> None:
    assert rows("window: Find\n  combobox\n    textbox = word\n    button") == [
        "window: Find",
        "  combobox",
        "    textbox = word",
    ]


# ---------------------------------------------------------------- the whole


def test_everything_shows_every_element_under_its_own_title() -> None:
    elements = tree("window: Editor\n  generic\n    button\n      label: Save\n    separator")
    assert [(one.element, one.title, one.depth) for one in shown.everything(elements)] == [
        (element, element.title, element.depth) for element in elements
    ]


def test_the_element_shown_is_found_again_under_its_title() -> None:
    (_, button) = shown.compact(tree("window: Editor\n  button\n    label: Save"))
    assert shown.with_title(button).title == "Save"
    assert button.element.title == ""
    assert button.element.node == NodeRef("app", "/1")


@pytest.mark.parametrize("drawing", ["button: Alone", "window\n  window\n    window"])
def test_any_tree_is_shown(drawing: str) -> None:
    shown.compact(tree(drawing))


def test_no_tree_shows_nothing() -> None:
    assert shown.compact([]) == []
    assert shown.everything([]) == []


def test_a_list_of_a_thousand_rows_is_shown_whole_and_in_order() -> None:
    lines = "\n".join(f"  listitem\n    label: row {number}" for number in range(1000))
    assert rows(f"list: Rows\n{lines}")[1:] == [f"  listitem: row {number}" for number in range(1000)]


def test_a_deep_tree_is_shown() -> None:
    drawing = "\n".join(f"{'  ' * depth}generic" for depth in range(300)) + f"\n{'  ' * 300}button: Deep"
    assert rows(drawing) == ["button: Deep"]
