"""The page on the architecture tells what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
FOLDERS = {
    "scorpion_env": ROOT / "scorpion_env",
    "scorpion_agents": ROOT / "agents/scorpion_agents",
}


def parts(folder: Path) -> set[str]:
    """The modules and sub-packages of a package."""
    modules = {path.stem for path in folder.glob("[!_]*.py")}
    return modules | {path.name for path in folder.glob("[!_]*/") if path.is_dir()}


def contract(package: str) -> list[set[str]]:
    """The layers that `lint-imports` checks in a package, the highest first."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (block,) = re.findall(rf'containers = \["{package}"\].*?layers = \[(.*?)\n\]', text, re.DOTALL)
    layers = [set(line.split(" | ")) for line in re.findall(r'"(.*?)"', block)]
    return [layer for layer in layers if layer != {"__main__"}]


@pytest.mark.parametrize("package", FOLDERS)
def test_the_picture_has_the_layers_that_are_checked(package: str) -> None:
    picture = PAGE.split("```")[1].partition(f"\n{package} ")[2].partition("────")[0]
    known = parts(FOLDERS[package])
    lines = [line.partition("#")[0].split() for line in picture.splitlines()]
    layers = [set(words) & known for words in lines]
    assert [layer for layer in layers if layer] == contract(package)


@pytest.mark.parametrize("package", FOLDERS)
def test_the_table_names_every_part(package: str) -> None:
    head = {
        "scorpion_env": "`scorpion_env/`, the",
        "scorpion_agents": "`agents/scorpion_agents/`, the",
    }
    table = PAGE.partition(f"\n{head[package]}")[2].partition("\n| part |")[2].partition("\n\n")[0]
    named = re.findall(r"^\| `(\w+)(?:\.py|/)` \|", table, re.MULTILINE)
    assert sorted(named) == sorted(parts(FOLDERS[package]))


def test_every_name_of_the_page_is_one_of_the_code() -> None:
    sources = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("scorpion_env", "agents", "tests")
        for path in (ROOT / folder).rglob("*.py")
        if path != Path(__file__)
    )
    words = set(re.findall(r"\w+", sources))
    prose = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
    names = set(re.findall(r"`([A-Za-z_][\w.]*)(?:\([^`]*\))?`", prose))
    assert len(names) > 80
    parts_of_names = {part for name in names for part in name.removesuffix(".py").split(".")}
    tools = {"njit", "infos", "pyproject", "toml", "py"}
    folders = {path.stem for path in ROOT.rglob("*.py")} | {"md"}
    assert parts_of_names - words - tools - folders == set()
