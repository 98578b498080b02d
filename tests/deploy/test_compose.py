"""deploy/compose.yaml says what the documentation promises, and fits nginx.conf and the Dockerfile."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.balancer import NAMES
from tests.deploy.image import Image


@pytest.fixture
def services(root: Path) -> dict[str, Any]:
    """The services by name, with what they share filled in."""
    return yaml.safe_load((root / "deploy" / "compose.yaml").read_text(encoding="utf-8"))["services"]


def test_every_service_is_hardened_and_bounded(services: dict[str, Any]):
    for name, service in services.items():
        assert service["read_only"], name
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert service["mem_limit"], name
        assert service["pids_limit"], name
        assert any(each.startswith("/tmp:size=") for each in service["tmpfs"]), name
        assert "privileged" not in service and "network_mode" not in service, name


def test_only_the_balancer_is_open_to_the_public(services: dict[str, Any]):
    assert [name for name, service in services.items() if "ports" in service] == ["balancer"]


def test_the_balancer_knows_the_replicas(services: dict[str, Any], root: Path):
    replicas = {f"explorer-{name}" for name in NAMES}
    assert services.keys() == replicas | {"balancer"}
    configuration = (root / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    assert set(re.findall(r"(explorer-\w+):8501;", configuration)) == replicas
    [published] = services["balancer"]["ports"]
    assert f"listen {published.rsplit(':', 1)[-1]};" in configuration


def test_replicas_share_downloads_where_the_image_expects_them(services: dict[str, Any], image: Image):
    for name in NAMES:
        service = services[f"explorer-{name}"]
        assert service["volumes"] == [f"cache:{image.environment['BDLVIZ_CACHE']}"]
        assert service["image"] == "bdlviz"


def test_there_is_more_time_to_end_than_it_takes(services: dict[str, Any]):
    for name in NAMES:  # tests/deploy/test_image.py measures what it takes
        assert services[f"explorer-{name}"]["stop_grace_period"] == "15s"
