"""Fixtures that several files share."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.shapes import AREAS, COMMON, group_of


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests that need the same compiled code together (see `support.shapes`)."""
    for item in items:
        group = group_of(item) if isinstance(item, pytest.Function) else None
        if group is not None:
            item.add_marker(pytest.mark.xdist_group(group))
        if group is not None and group not in (COMMON, *AREAS):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short run with Stable-Baselines3's own policy."""
    from support.runs import run

    folder = tmp_path_factory.mktemp("runs") / "small"
    result = run(folder)
    assert result.steps == 1024
    assert not result.interrupted
    return folder


@pytest.fixture(scope="session")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short run that nothing interrupted."""
    from scorpion_agents.training.train import train
    from support.runs import CONFIG, say_nothing

    folder = tmp_path_factory.mktemp("runs") / "straight"
    assert train(CONFIG, folder, say=say_nothing).steps == 1280
    return folder
