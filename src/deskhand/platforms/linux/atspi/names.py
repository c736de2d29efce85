"""The numbers of AT-SPI in words: interfaces, roles, and what ARIA calls a role.

Source: atspi-constants.h of at-spi2-core 2.46 to 2.56 (the order of AtspiRole), and the W3C's Core Accessibility API
Mappings 1.2 for the words of ARIA.
"""

from typing import Final

from deskhand.model.roles import canonical_role

ACCESSIBLE: Final = "org.a11y.atspi.Accessible"
ACTION: Final = "org.a11y.atspi.Action"
APPLICATION: Final = "org.a11y.atspi.Application"
CACHE: Final = "org.a11y.atspi.Cache"
COLLECTION: Final = "org.a11y.atspi.Collection"
COMPONENT: Final = "org.a11y.atspi.Component"
EDITABLE_TEXT: Final = "org.a11y.atspi.EditableText"
REGISTRY: Final = "org.a11y.atspi.Registry"
SELECTION: Final = "org.a11y.atspi.Selection"
TEXT: Final = "org.a11y.atspi.Text"
VALUE: Final = "org.a11y.atspi.Value"
PROPERTIES: Final = "org.freedesktop.DBus.Properties"

ROOT_PATH: Final = "/org/a11y/atspi/accessible/root"
NULL_PATH: Final = "/org/a11y/atspi/null"
CACHE_PATH: Final = "/org/a11y/atspi/cache"
REGISTRY_PATH: Final = "/org/a11y/atspi/registry"

# In the order of their numbers; a star before a word means that ARIA has none for it.
_ROLES: Final = """
invalid=generic accelerator_label=*accelerator_label alert=alert animation=img arrow=*arrow calendar=*calendar
canvas=*canvas check_box=checkbox check_menu_item=menuitemcheckbox color_chooser=*color_chooser
column_header=columnheader combo_box=combobox date_editor=*date_editor desktop_icon=*desktop_icon
desktop_frame=*desktop_frame dial=slider dialog=dialog directory_pane=*directory_pane drawing_area=*drawing_area
file_chooser=dialog filler=generic focus_traversable=generic font_chooser=*font_chooser frame=window
glass_pane=generic html_container=generic icon=*icon image=img internal_frame=*internal_frame label=*label
layered_pane=generic list=list list_item=listitem menu=menu menu_bar=menubar menu_item=menuitem
option_pane=generic page_tab=tab page_tab_list=tablist panel=group password_text=textbox popup_menu=menu
progress_bar=progressbar push_button=button radio_button=radio radio_menu_item=menuitemradio root_pane=generic
row_header=rowheader scroll_bar=scrollbar scroll_pane=generic separator=separator slider=slider
spin_button=spinbutton split_pane=generic status_bar=status table=table table_cell=cell
table_column_header=columnheader table_row_header=rowheader tearoff_menu_item=menuitem terminal=*terminal
text=textbox toggle_button=button tool_bar=toolbar tool_tip=tooltip tree=tree tree_table=treegrid unknown=generic
viewport=generic window=window extended=generic header=*header footer=*footer paragraph=paragraph ruler=*ruler
application=application autocomplete=textbox editbar=*editbar embedded=*embedded entry=textbox chart=*chart
caption=caption document_frame=document heading=heading page=*page section=generic redundant_object=generic
form=form link=link input_method_window=*input_method_window table_row=row tree_item=treeitem
document_spreadsheet=document document_presentation=document document_text=document document_web=document
document_email=document comment=comment list_box=listbox grouping=group image_map=img notification=alert
info_bar=status level_bar=meter title_bar=*title_bar block_quote=blockquote audio=*audio video=*video
definition=definition article=article landmark=region log=log marquee=marquee math=math rating=slider timer=timer
static=text math_fraction=*math_fraction math_root=*math_root subscript=subscript superscript=superscript
description_list=list description_term=term description_value=definition footnote=*footnote
content_deletion=deletion content_insertion=insertion mark=mark suggestion=suggestion push_button_menu=button
switch=switch
"""


def _table() -> tuple[tuple[str, str], ...]:
    rows = []
    for entry in _ROLES.split():
        native, _, aria = entry.partition("=")
        rows.append((native.replace("_", " "), aria.removeprefix("*").replace("_", " ")))
    return tuple(rows)


ROLES: Final = _table()
"""(the platform's word, ours) by role number."""

NUMBER: Final = {native: number for number, (native, _) in enumerate(ROLES)}
"""The role number of the platform's word."""


def role_numbers(word: str) -> frozenset[int]:
    """The role numbers a query's word means: ARIA's, the platform's, or macOS's; empty where nobody knows it."""
    wanted = canonical_role(word)
    return frozenset(number for number, names in enumerate(ROLES) if wanted in {canonical_role(name) for name in names})


def role_names(number: int) -> tuple[str, str]:
    """(the platform's word, ours) for a role number; a newer library's numbers come through as they are."""
    if 0 <= number < len(ROLES):
        return ROLES[number]
    return (f"role {number}", f"role {number}")
