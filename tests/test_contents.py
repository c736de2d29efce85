"""Every tool file is on its surface's contents page, and every tool and file says what it is for."""

import ast
import inspect
from pathlib import Path

import pytest

import deskhand
import deskhand.surfaces
from deskhand.cli.surfaces import ALL
from deskhand.surfaces.axi import Axi
from deskhand.surfaces.computer import Computer
from deskhand.surfaces.surface import Surface
from deskhand.tools import ABSENT

_SURFACES: list[Surface] = [Axi(), Computer()]
_FOLDER = Path(deskhand.surfaces.__path__[0])
_SOURCE = Path(deskhand.__path__[0])
_FILES = sorted(file for file in _SOURCE.rglob("*.py"))


@pytest.mark.parametrize("surface", _SURFACES, ids=lambda surface: surface.name)
class TestEachSurface:
    """What is declared is served."""

    def test_no_declaration_is_left_out(self, surface: Surface) -> None:
        written = sum(
            line.startswith("@tool(")
            for file in (_FOLDER / surface.name).glob("*.py")
            for line in file.read_text().splitlines()
        )
        assert len(surface.tools) == written

    def test_every_tool_describes_itself(self, surface: Surface) -> None:
        assert all(tool.description for tool in surface.tools)

    def test_every_tool_says_what_it_answers(self, surface: Surface) -> None:
        for tool in surface.tools:
            assert inspect.signature(tool.handler).return_annotation is not inspect.Signature.empty

    def test_every_name_is_written_once(self, surface: Surface) -> None:
        text = "".join(file.read_text() for file in (_FOLDER / surface.name).glob("*.py"))
        for tool in surface.tools:
            declared = text.count(f'@tool("{tool.name}"') + text.count(f'@tool(\n    "{tool.name}"')
            assert declared == 1, tool.name


def test_every_folder_of_tools_is_a_surface() -> None:
    folders = {folder.name for folder in _FOLDER.iterdir() if (folder / "__init__.py").exists()}
    assert folders == {surface.name for surface in _SURFACES}
    assert set(ALL) == folders


@pytest.mark.parametrize("file", _FILES, ids=lambda file: str(file.relative_to(_SOURCE)))
def test_every_file_opens_with_what_it_is_for(file: Path) -> None:
    opening = ast.get_docstring(ast.parse(file.read_text()))
    assert opening, f"{file} says nothing"
    first = opening.partition("\n")[0]
    assert first.endswith((".", ":")), first


def test_every_test_file_does_too() -> None:
    for file in sorted(Path(__file__).parent.rglob("*.py")):
        if file.name != "__init__.py":
            assert ast.get_docstring(ast.parse(file.read_text())), file


def test_nothing_stands_for_an_absent_field_but_itself() -> None:
    assert repr(ABSENT) == "ABSENT"
    assert not ABSENT
