"""Fixtures of the deployment's tests: an image's folder, free ports, and the browser of the browser tests."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import App, browser, new_page
from tests.deploy import balancer
from tests.deploy import image as images

__all__ = ["browser", "new_page"]


@pytest.fixture(scope="session")
def image(root: Path) -> images.Image:
    """What the project's Dockerfile says."""
    return images.contents(root / "Dockerfile")


@pytest.fixture
def free_port() -> Callable[[], int]:
    """A port of this computer that nobody uses, another one at every call."""

    def pick() -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    return pick


@pytest.fixture
def start_replica(image: images.Image, tmp_path: Path) -> Iterator[Callable[..., App]]:
    """Run the image's command: ``start_replica(folder, port, NAME="value")``; what still runs ends with the test."""
    started: list[App] = []

    def start(folder: Path, port: int, **environment: str) -> App:
        log, cache = tmp_path / f"replica{len(started)}.txt", str(tmp_path / "cache")
        started.append(images.start(image, folder, port, log, **{"BDLVIZ_CACHE": cache} | environment))
        return started[-1]

    yield start
    for app in started:
        app.stop()


@pytest.fixture
def start_balancer(root: Path, tmp_path: Path, free_port: Callable[[], int]) -> Iterator[Callable[..., App]]:
    """Run the project's nginx.conf: ``start_balancer({"one": 8501, "two": 8502})``; it ends with the test."""
    started: list[App] = []

    def start(replicas: dict[str, int]) -> App:
        folder = tmp_path / f"balancer{len(started)}"
        folder.mkdir()
        started.append(balancer.start(root, folder, free_port(), replicas))
        return started[-1]

    yield start
    for app in started:
        balancer.stop(app)
