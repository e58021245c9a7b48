"""The repository can be read from its listing: small folders, small modules, a line on each."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from support.paths import ROOT

FOLDERS = ("scorpion_env", "agents", "scripts", "tests", "examples")
MODULES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
PACKAGES = [path for path in MODULES if path.name == "__init__.py"]
MOST_FILES = 14
MOST_LINES = 350
MOST_PARAMETERS = 8


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("folder", sorted({name for name in FOLDERS if (ROOT / name).is_dir()}))
def test_every_folder_has_modules_to_look_at(folder: str) -> None:
    assert any(path.is_relative_to(ROOT / folder) for path in MODULES)


def test_no_folder_has_more_than_14_modules() -> None:
    modules = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    assert {name_of(f): count for f, count in modules.items() if count > MOST_FILES} == {}


def test_no_folder_of_the_tests_has_more_than_14_files() -> None:
    files = Counter(path.parent for path in (ROOT / "tests").rglob("*") if path.is_file())
    found = {name_of(f): n for f, n in files.items() if f.name != "__pycache__" and n > MOST_FILES}
    assert found == {}


def test_no_module_has_more_than_350_lines() -> None:
    lines = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_no_function_has_more_than_8_parameters_but_what_numba_compiles_or_click_calls() -> None:
    found = {}
    for path in MODULES:
        if path.is_relative_to(ROOT / "tests"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                named = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                count = len([argument for argument in named if argument.arg not in ("self", "cls")])
                marks = " ".join(map(ast.unparse, node.decorator_list))
                if count > MOST_PARAMETERS and not re.search("compiled|click|intrinsic", marks):
                    found[f"{name_of(path)}: {node.name}"] = count
    assert found == {}


@pytest.mark.parametrize("path", PACKAGES, ids=name_of)
def test_every_package_says_what_it_is_for(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring is not None
    assert len(docstring.split()) >= 3
    assert docstring.split("\n")[0].endswith((".", ":"))
