"""The register of published numbers: verdicts follow from values, and the shipped one is complete."""

import json

import pytest

import bdlviz
from bdlviz import published
from bdlviz.__main__ import main
from bdlviz.published import AsOneRun, AtLeast, AtMost, Claim, Within, measurements, rows
from bdlviz.published import claims as printed_claims

CLAIMS = (
    Claim("log", "A lecture", "loss", -100.0, "nats", Within(2), "measured", is_lecture=True),
    Claim("limit", "A lecture", "bound", -110.0, "nats", AtLeast(-112), "measured", is_lecture=True),
    Claim("elsewhere", "A paper", "accuracy", 98.4, "%", Within(0.2)),
)


@pytest.mark.parametrize(
    ("log", "limit", "verdicts"),
    [
        ([-101.0, -102.9], [-90.0], ["reproduced", "reproduced", "unverified"]),
        ([-103.0, -102.9], [-111.9, -112.3], ["contradicted", "contradicted", "unverified"]),
        ([], [-112.0], ["unverified", "reproduced", "unverified"]),
    ],
)
def test_verdict_is_about_the_mean_over_seeds(tmp_path, log, limit, verdicts):
    path = tmp_path / "register.json"
    path.write_text(json.dumps({"log": log, "limit": limit}))
    found = rows(path, CLAIMS)
    assert [row.verdict for row in found] == verdicts
    assert [row.tolerance for row in found] == ["± 2", "≥ -112", "± 0.2"]
    assert found[2].command == "" and found[0].command == "python -m bdlviz measure measured"


def test_a_value_of_one_run_may_lie_two_sd_off():
    tolerance = AsOneRun(2)
    assert tolerance.accepts([-405.0, -401.0, -409.0], -400.0)  # mean -405, sd 4
    assert not tolerance.accepts([-405.0, -404.9, -405.1], -400.0)
    assert not tolerance.accepts([-405.0], -400.0)
    assert tolerance.accepts([-401.0], -400.0)


def test_an_upper_limit_is_for_what_should_be_small():
    assert AtMost(2.0).accepts([1.9, 2.0], 1.92) and not AtMost(2.0).accepts([1.9, 2.2], 1.92)
    assert str(AtMost(2.0)) == "≤ 2"


def test_measuring_keeps_what_others_measured(tmp_path, monkeypatch):
    path = tmp_path / "register.json"
    path.write_text(json.dumps({"log": [1.0], "limit": [2.0]}))
    monkeypatch.setitem(published.MEASUREMENTS, "measured", lambda: {"log": [-99.0, -101.0]})
    published.measure("measured", path)
    assert published.read(path) == {"log": [-99.0, -101.0], "limit": [2.0]}
    row = rows(path, CLAIMS)[0]
    assert (row.ours, row.spread, row.values) == (-100.0, pytest.approx(2**0.5), (-99.0, -101.0))


def test_damage_and_unknown_names_are_said(tmp_path):
    (tmp_path / "register.json").write_text("[1, 2")
    with pytest.raises(bdlviz.InvalidInput, match=r"register\.json is damaged"):
        rows(tmp_path / "register.json")
    with pytest.raises(bdlviz.InvalidInput, match="no measurement 'nothing': choose one of vae_log"):
        published.measure("nothing")


def test_every_claim_has_a_name_of_its_own_and_its_measurement_exists():
    assert len({claim.name for claim in published.CLAIMS}) == len(published.CLAIMS)
    assert {claim.measurement for claim in published.CLAIMS} - {""} <= set(published.MEASUREMENTS)


def test_shipped_values_belong_to_claims():
    assert set(published.read()) <= {claim.name for claim in published.CLAIMS}


@pytest.mark.parametrize(
    "claim", [claim for claim in published.CLAIMS if claim.is_lecture], ids=lambda claim: claim.name
)
def test_no_number_of_the_lecture_is_unverified(claim):
    [row] = rows(claims=[claim])
    assert row.verdict != "unverified", f"run {row.command}"


def test_the_accuracies_of_the_lecture_are_seven_numbers():
    claims = {claim.name: claim for claim in published.CLAIMS if claim.source == printed_claims.LECTURE_TABLE}
    assert len(claims) == 7 and claims["accuracy_mc_dropout_monte_carlo"].published == 90.17
    assert all(claim.tolerance == Within(0.8) for claim in claims.values())
    assert {claim.measurement for claim in claims.values()} == {
        "accuracy_map",
        "accuracy_mc_dropout",
        "accuracy_concrete_dropout",
        "accuracy_variational_dropout",
    }


def test_tolerances_of_the_training_log():
    claims = {claim.name: claim for claim in published.CLAIMS}
    for epoch, printed in ((1, 1.9796), (5, 0.4333), (10, 0.1645)):
        claim = claims[f"mc_dropout_cross_entropy_{epoch}"]
        assert claim.published == printed
        assert isinstance(claim.tolerance, AsOneRun)
        assert claim.tolerance.distance == pytest.approx(0.15 * printed, abs=1e-4)
    assert claims["mc_dropout_penalty_10"].unit != claims["mc_dropout_cross_entropy_10"].unit


def test_the_log_is_split_into_its_parts(monkeypatch):
    """Cross-entropy and penalty of an epoch sum to the loss that the fit records."""
    fits = []

    def keep(*args, **settings):
        fits.append(bdlviz.fit(*args, **settings))
        return fits[-1]

    small = bdlviz.dataset("digits", num_data=200)
    monkeypatch.setattr(measurements.data, "load", lambda name: small)
    monkeypatch.setattr(measurements, "DIGITS_SEEDS", (3,))
    monkeypatch.setattr(measurements, "fit", keep)
    values = measurements.mc_dropout_log()
    assert len(values) == 30 and all(len(each) == 1 for each in values.values())
    loss = fits[0].history["loss"]
    for epoch in (1, 10):
        parts = values[f"mc_dropout_cross_entropy_{epoch}"][0] + values[f"mc_dropout_penalty_{epoch}"][0] / 1000
        assert parts == pytest.approx(loss[epoch - 1], abs=2e-4)
    # The penalty that the last epoch pays is about that of the weights it leaves.
    squares = sum(float((array**2).sum()) for name, array in fits[0].params.items() if name.startswith("weight"))
    assert values["mc_dropout_penalty_10"][0] == pytest.approx(1000 * 5e-5 * squares, rel=0.02)
    assert values["mc_dropout_accuracy_1"][0] < values["mc_dropout_accuracy_10"][0] <= 100


def test_printed_as_a_table_and_as_json(capsys):
    assert main(["register"]) == 0
    table = capsys.readouterr().out
    assert table.count("\n") == len(published.CLAIMS) + 2 and "-400.16 nats per image" in table
    assert main(["register", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, list) and found[0]["published"] == -400.16
    assert {"source", "quantity", "published", "ours", "spread", "tolerance", "verdict", "command"} <= set(found[0])
