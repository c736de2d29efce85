"""The words for what an element is, as different people write them."""

from typing import Final

# The names of macOS, and what else is common, for ARIA's words.
_ALIASES: Final = """
button=axbutton,axmenubutton,pushbutton checkbox=axcheckbox combobox=axcombobox,axpopupbutton,dropdown
group=axgroup img=aximage,image,picture link=axlink,hyperlink list=axlist menu=axmenu,axmenubaritem menubar=axmenubar
menuitem=axmenuitem progressbar=axprogressindicator radio=axradiobutton row=axrow scrollbar=axscrollbar
slider=axslider label=axstatictext tablist=axtabgroup table=axtable textbox=axtextarea,axtextfield,textfield,input
toolbar=axtoolbar window=axwindow status=statusbar
"""
_CANONICAL: Final = {
    alias: role
    for role, _, aliases in (entry.partition("=") for entry in _ALIASES.split())
    for alias in aliases.split(",")
}


def canonical_role(word: str) -> str:
    """A role as it is compared: small letters, no spaces, ARIA's word where another means the same."""
    squeezed = "".join(character for character in word.casefold() if character.isalnum())
    return _CANONICAL.get(squeezed, squeezed)
