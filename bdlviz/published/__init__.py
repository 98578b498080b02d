"""The register of published numbers: published values, our measurements, and whether they agree.

A claim is one declaration in `CLAIMS`. A measurement is a function in `MEASUREMENTS` that returns one value per seed
for each of its claims. `python -m bdlviz measure NAME` runs one and stores its values in ``checkpoints/register.json``.
`python -m bdlviz register` prints every claim with its verdict, which follows from the values and the claim's rule.
There is one rule for each kind of source (`bdlviz.published.claim`).
"""

from bdlviz.published.claim import AmongOurRuns, Claim, Rule, SameSd, SameSign, TwoPrintedSd, WithinTenth
from bdlviz.published.claims import ACCURACY_SD, ACCURACY_TABLE, AUTHORS_STUDY, BLUNDELL, CLAIMS, DIGITS_LOG, VAE_LOG
from bdlviz.published.measurements import MEASUREMENTS
from bdlviz.published.register import VERDICTS, Row, as_json, counts, measure, read, rows, table

RULES = (AmongOurRuns, TwoPrintedSd, SameSd, WithinTenth, SameSign)  # one for each kind of source

__all__ = [
    "ACCURACY_SD",
    "ACCURACY_TABLE",
    "AUTHORS_STUDY",
    "BLUNDELL",
    "CLAIMS",
    "DIGITS_LOG",
    "MEASUREMENTS",
    "RULES",
    "VAE_LOG",
    "VERDICTS",
    "AmongOurRuns",
    "Claim",
    "Row",
    "Rule",
    "SameSd",
    "SameSign",
    "TwoPrintedSd",
    "WithinTenth",
    "as_json",
    "counts",
    "measure",
    "read",
    "rows",
    "table",
]
