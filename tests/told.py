"""What a sentence tells: its numbers. Tests compare these and not its words."""

from __future__ import annotations

import re

NUMBER = re.compile(r"(?<![\d\w])[−-]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[−-]?\d+)?")


def numbers_in(text: str) -> list[float]:
    """The numbers of a text in their order: 0.1, −3, 5,000."""
    return [float(each.replace("−", "-").replace(",", "")) for each in NUMBER.findall(text)]
