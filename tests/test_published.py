"""The register of published numbers: a verdict follows from values, by one rule for each kind of source."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import bdlviz
from bdlviz import published
from bdlviz.__main__ import main
from bdlviz.fitted import shelf
from bdlviz.published import (
    AmongOurRuns,
    Claim,
    SameSd,
    SameSign,
    TwoPrintedSd,
    WithinTenth,
    claims,
    measurements,
    rows,
)
from bdlviz.published.claim import FEWEST_LOGS
from bdlviz.topics.results.figure_index.entries import ENTRIES

DEMO = (
    Claim("log", "A lecture", "slide 3, epoch 1", "loss", -100.0, "nats", AmongOurRuns(), "measured"),
    Claim("table", "A paper", "Table 1", "accuracy", 98.4, "%", TwoPrintedSd(0.2), "measured"),
    Claim("again", "Printed nowhere", "", "bound", None, "nats", None, "measured", label="plain re-run"),
    Claim("hearsay", "A paper", "its headline", "size", 700.0, "times", None, label="unverified"),
)
MANY = [-104.0 + 0.4 * step for step in range(FEWEST_LOGS)]  # -104 to -96.4


def agrees(rule: published.Rule, values: Sequence[float], printed: float) -> bool:
    return rule.judge(np.array(values), printed).verdict == "reproduced"


def test_rules_accept_and_refuse():
    for rule, printed, good, bad in [
        (TwoPrintedSd(0.5), 90.0, [90.8, 90.81], [91.1, 91.11]),
        (TwoPrintedSd(0.5), 90.0, [89.1, 89.11], [88.9, 88.91]),
        (AmongOurRuns(), -100.0, MANY, [value + 4.0 for value in MANY]),
        (WithinTenth(), 1.5, [1.4, 1.401], [1.3, 1.3]),
        (WithinTenth(), -2.0, [-2.19, -2.19], [-2.21, -2.21]),
        (WithinTenth(of_rest=True), 98.0, [98.19, 98.19], [98.21, 98.21]),
        (SameSign(), 0.8, [0.2, 0.3, 0.25], [0.2, -0.3, 0.25]),
        (SameSign(), -0.8, [-0.2, -0.3, -0.25], [0.2, 0.3, 0.25]),
        (SameSd(), 0.5, [0.0, 1.0, 0.5, 0.2, 0.8], [0.0, 0.1, 0.05, 0.02, 0.08]),
    ]:
        assert agrees(rule, good, printed) and not agrees(rule, bad, printed)
    # The one value far out on either side is beyond the central 95 % of twenty.
    values = np.array([*np.linspace(-1, 1, FEWEST_LOGS - 1), 50.0])
    found = AmongOurRuns().judge(values, 40.0)
    assert found.interval == pytest.approx(tuple(np.quantile(values, (0.025, 0.975))))
    assert found.verdict == "contradicted"
    rng = np.random.default_rng(0)
    found = [agrees(SameSd(), rng.normal(3, 2, 5).tolist(), 2.0) for _ in range(4000)]
    assert np.mean(found) == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / 4000))
    values = np.array([0.0, 1.0, 2.0])
    error = values.std(ddof=1) / math.sqrt(3)
    reach = stats.t.ppf(0.975, 2) * error  # 4.3 standard errors
    assert not agrees(SameSign(), (values - 1 + 0.99 * reach).tolist(), 1.0)
    assert agrees(SameSign(), (values - 1 + 1.01 * reach).tolist(), 1.0)


@pytest.mark.parametrize(
    ("rule", "printed", "values", "verdict"),
    [
        (WithinTenth(), 1.0, [1.0], "inconclusive"),  # one run has no interval
        (WithinTenth(), 1.0, [5.0], "inconclusive"),
        (TwoPrintedSd(0.1), 1.0, [1.0], "inconclusive"),
        (WithinTenth(), 1.0, [0.5, 1.0, 1.5], "inconclusive"),  # the mean agrees, but 0.42 would do as well
        (WithinTenth(), 1.0, [1.0, 1.3, 1.2], "inconclusive"),  # the mean does not agree, but 1 would do as well
        (SameSign(), 0.1, [-0.3, 0.2, 0.0], "inconclusive"),
        (SameSign(), 2.0, [-0.3, 0.2, 0.0], "contradicted"),
        (SameSign(), 0.1, [-0.3, -0.31, -0.3], "contradicted"),
    ],
)
def test_an_interval_that_holds_both_answers_decides_nothing(rule, printed, values, verdict):
    found = rule.judge(np.array(values), printed)
    assert found.verdict == verdict and bool(found.reason) == (verdict != "reproduced")


@pytest.mark.parametrize("rule", [TwoPrintedSd(1.0), WithinTenth(), SameSign()])
def test_a_mean_is_called_contradicted_by_chance_in_a_twentieth_at_most(rule: published.Rule):
    """The truth is what is printed; three runs scatter around it, so that most sets of three decide nothing."""
    rng = np.random.default_rng(5)
    judged = [rule.judge(rng.normal(1.0, 2.0, 3), 1.0).verdict for _ in range(4000)]
    share = np.mean([verdict == "contradicted" for verdict in judged])
    assert share < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 4000)


def test_the_gains_by_averaging_that_our_runs_cannot_decide():
    """Five runs each: the printed gain, the opposite one and none at all lie in our interval."""
    by_name = {row.name: row for row in rows()}
    for name, printed, mean, sd in (
        ("averaging_concrete_dropout", -0.03, -0.02, 0.192),
        ("averaging_mc_dropout", 0.1, -0.06, 0.152),
    ):
        row = by_name[name]
        reach = stats.t.ppf(0.975, 4) * sd / math.sqrt(5)
        assert (row.our_low, row.our_high) == pytest.approx((mean - reach, mean + reach), abs=1e-3)
        assert (row.published, row.verdict) == (printed, "inconclusive")
        assert mean - reach < -abs(printed) < abs(printed) < mean + reach


def test_one_run_has_no_verdict():
    single = [row for row in rows() if row.seeds == 1 and row.rule]
    assert len(single) == 6 and {row.verdict for row in single} == {"inconclusive"}
    assert all(row.our_low is None and row.reason == "One run has no interval." for row in single)


@pytest.mark.parametrize(
    ("log", "table", "verdicts"),
    [
        (MANY, [97.8, 97.81], ["reproduced", "contradicted"]),
        (MANY[:-1], [98.3, 98.31], ["inconclusive", "reproduced"]),
        (MANY, [98.7, 98.2], ["reproduced", "inconclusive"]),
        ([-50.0] * FEWEST_LOGS, [], ["contradicted", "unverified"]),
    ],
)
def test_a_verdict_follows_from_the_values(tmp_path, log, table, verdicts):
    path = tmp_path / "register.json"
    path.write_text(json.dumps({"log": log, "table": table, "again": [-98.0], "hearsay": [700.0]}))
    found = rows(path, DEMO)
    assert [row.verdict for row in found] == [*verdicts, "plain re-run", "unverified"]
    assert [row.seeds for row in found[:2]] == [len(log), len(table)]
    assert all(bool(row.reason) == (row.verdict in ("contradicted", "inconclusive")) for row in found)
    assert found[2].ours == -98.0 and found[2].rule == found[2].width == ""
    assert found[0].command == "python -m bdlviz measure measured" and found[3].command == ""


def test_a_difference_pairs_the_seeds_and_a_contradiction_has_a_reason(tmp_path):
    trend = Claim("gain", "A paper", "Table 1", "gain", 0.5, "points", SameSign(), of="many", minus="one")
    truth = replace(trend, name="excess", minus=1.0)
    path = tmp_path / "register.json"
    path.write_text(json.dumps({"many": [2.0, 3.0, 4.0], "one": [1.5, 2.55, 3.45]}))
    gain, excess = rows(path, (trend, truth))
    assert gain.values == pytest.approx((0.5, 0.45, 0.55)) and gain.verdict == "reproduced"
    assert excess.values == (1.0, 2.0, 3.0)
    path.write_text(json.dumps({"many": [2.0, 3.0, 4.0], "one": [1.5]}))
    assert rows(path, (trend,))[0].verdict == "unverified"
    for rule, printed, values, says in [
        (TwoPrintedSd(1.0), 10.0, [13.0, 13.0], "Our interval lies above what is allowed."),
        (TwoPrintedSd(1.0), 10.0, [10.0, 13.0], "Only a part of our interval is allowed."),
        (AmongOurRuns(), 10.0, [11.0] * FEWEST_LOGS, "The printed number lies below our interval."),
        (AmongOurRuns(), 10.0, [10.0] * 3, "The rule needs 20 runs, and there are 3."),
        (SameSign(), 1.0, [-1.0, -1.01], "All of our interval has the other sign."),
        (SameSign(), 1.0, [-1.0, 1.1], "Our interval contains 0 and the printed difference."),
    ]:
        path.write_text(json.dumps({"a": values}))
        assert rows(path, (Claim("a", "A", "b", "c", printed, "d", rule),))[0].reason == says


def test_measuring_keeps_what_others_measured(tmp_path, monkeypatch):
    path = tmp_path / "register.json"
    path.write_text(json.dumps({"log": [1.0], "table": [2.0]}))
    monkeypatch.setitem(published.MEASUREMENTS, "measured", lambda: {"log": [-99.0, -101.0]})
    published.measure("measured", path)
    assert published.read(path) == {"log": [-99.0, -101.0], "table": [2.0]}
    row = rows(path, DEMO)[0]
    assert (row.ours, row.spread, row.values) == (-100.0, pytest.approx(2**0.5), (-99.0, -101.0))
    (tmp_path / "register.json").write_text("[1, 2")
    with pytest.raises(bdlviz.InvalidInput, match=r"register\.json is damaged"):
        rows(tmp_path / "register.json")
    with pytest.raises(bdlviz.InvalidInput, match="no measurement 'nothing': choose one of vae_log"):
        published.measure("nothing")


def test_claims_and_values_belong_together():
    assert len({claim.name for claim in published.CLAIMS}) == len(published.CLAIMS)
    assert {claim.measurement for claim in published.CLAIMS} - {""} <= set(published.MEASUREMENTS)
    assert set(published.read()) <= {claim.name for claim in published.CLAIMS}
    labelled = {claim.name: claim for claim in published.CLAIMS if claim.label}
    assert {name for name, claim in labelled.items() if claim.label == "plain re-run"} == {
        "vae_train_100",
        "vae_test_100",
        "bayes_small_sigma",
    }
    assert all(claim.published is None for claim in labelled.values() if claim.label == "plain re-run")
    assert labelled["bayes_replications"].published is None
    assert {name for name in labelled if name.startswith("louizos")} == {"louizos_smaller", "louizos_faster"}


@pytest.mark.parametrize("claim", published.CLAIMS, ids=lambda claim: claim.name)
def test_a_claim_names_document_and_place_or_says_why_it_cannot(claim: Claim):
    assert claim.document and claim.place
    if claim.label:
        assert claim.rule is None
        return
    assert claim.rule is not None and claim.published is not None and claim.document != claims.HERE
    known = ("slides", "20", "repository")
    assert any(word in claim.document for word in known), "A document is a lecture, a paper with its year, or code."


@pytest.mark.parametrize("claim", [claim for claim in published.CLAIMS if not claim.label], ids=lambda each: each.name)
def test_no_verdict_is_declared(claim: Claim, tmp_path):
    """Every row without a label is measured, and its verdict is another one with other values."""
    [row] = rows(claims=[claim])
    assert row.verdict in ("reproduced", "contradicted", "inconclusive"), f"run {row.command}"
    path = tmp_path / "register.json"
    measured = published.read()
    key = claim.of or claim.name
    scatter = np.resize([-1.0, 1.0], max(2, len(measured[key])))
    printed, other = claim.published or 0.0, 0.0
    if isinstance(claim.minus, str):
        other = np.array(measured[claim.minus])
    elif claim.minus:
        other = claim.minus
    tight, far = printed + other + 1e-6 * scatter, other - 9 * printed - 1e-6 * scatter
    if isinstance(claim.rule, SameSd):
        tight = printed * scatter * np.sqrt((len(scatter) - 1) / ((scatter - scatter.mean()) ** 2).sum())
        far = 100 * tight
    seen = []
    for values in (tight, far):
        path.write_text(json.dumps(measured | {key: np.asarray(values).tolist()}))
        seen.append(rows(path, [claim])[0].verdict)
    assert seen == ["reproduced", "contradicted"]


def test_one_kind_of_source_has_one_rule():
    by_name = {claim.name: claim for claim in published.CLAIMS}
    logs = [name for name in by_name if name.startswith("vae_log_") or name.startswith("mc_dropout_")]
    assert logs and all(by_name[name].rule == AmongOurRuns() for name in logs)
    assert all(row.seeds >= FEWEST_LOGS for row in rows(claims=[by_name[name] for name in logs]))
    assert [claim.place[-7:] for claim in published.CLAIMS if claim.name.startswith("vae_log")][-1] == "epoch 6"
    assert any(name.startswith("accuracy_") for name in by_name)


def test_trends_are_rows():
    by_name = {row.name: row for row in rows()}
    assert any(isinstance(claim.rule, SameSign) for claim in published.CLAIMS)
    gain = by_name["averaging_variational_dropout"]
    assert gain.ours == pytest.approx(-0.04) and gain.verdict == "contradicted"
    assert by_name["concrete_aleatoric_over_truth"].verdict == "inconclusive"


def test_blundell_s_table_is_that_of_400_units_with_the_full_kl_weight():
    errors = {row: printed.error for row, printed in claims.BLUNDELL.items()}
    assert errors == {"sgd": 1.83, "dropout": 1.51, "gaussian": 1.82, "mixture": 1.36}
    assert claims.BLUNDELL_TRAINING["hidden"] == (400, 400)
    for printed in claims.BLUNDELL.values():
        config = bdlviz.fits.configure(
            printed.method, bdlviz.dataset("digits"), **claims.BLUNDELL_TRAINING | printed.settings
        )
        if printed.method == "bayes_by_backprop":
            assert config.hyperparameter("kl_weight") == 1 and "full KL weight" in printed.words
    assert claims.BLUNDELL["mixture"].settings["mixture_weight"] < 1
    found = {row.name: row for row in rows()}
    for row in errors:
        assert found[f"blundell_{row}"].settings.endswith(claims.BLUNDELL_WORDS)


def test_the_figure_index_names_orders_that_differ():
    """The same trainings, on another machine perhaps: rounding alone moves some of 10,000 digits."""
    _, extra = shelf.shipped("bayes_mnist_honest")
    found = published.read()
    for row, error in (
        ("gaussian", extra["error_many"]),
        ("sgd", extra["error_plain"]),
        ("dropout", extra["error_dropout"]),
    ):
        assert found[f"blundell_{row}"][0] == pytest.approx(100 * float(error[-1]), abs=0.2)
    [entry] = [each for each in ENTRIES if each.title == "Bayes by Backprop: test error over training"]
    assert entry.note.startswith("Not reproduced") and dict(entry.query)["scene"] == "course"
    for name in ("bayes_mnist_honest", "bayes_digits_honest"):
        _, extra = shelf.shipped(name)
        last = {key: float(extra[f"error_{key}"][-1]) for key in ("bayes", "dropout", "plain")}
        assert max(last, key=last.__getitem__) == "bayes"
    printed = {row: each.error for row, each in claims.BLUNDELL.items()}
    assert printed["gaussian"] < printed["sgd"], "the order of the paper"


def test_the_log_is_split_into_its_parts(monkeypatch):
    """Cross-entropy and penalty of an epoch sum to the loss that the fit records."""
    fits = []

    def keep(*args, **settings):
        fits.append(bdlviz.fit(*args, **settings))
        return fits[-1]

    small = bdlviz.dataset("digits", num_data=200)
    monkeypatch.setattr(measurements.data, "load", lambda name: small)
    monkeypatch.setattr(measurements, "LOG_SEEDS", (3,))
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
    found = rows()
    count = published.counts(found)
    told = ", ".join(f"{count[verdict]} {verdict}" for verdict in ("reproduced", "contradicted", "inconclusive"))
    assert f"{len(found)} rows: {told}, " in table
    lines = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(lines) == len(found)
    for line, row in zip(lines, found, strict=True):
        assert line[0] == f"| {row.source}" and line[1] == row.place and line[5] == str(row.seeds)
        assert line[6:9] == [row.rule, row.width, row.our_interval] and line[9].startswith(row.verdict)
    assert main(["register", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told[0]["published"] == -400.16
    assert {"source", "place", "quantity", "seeds", "rule", "width", "verdict", "reason", "command"} <= set(told[0])


def test_the_authors_study_has_the_shipped_repeat_and_two_more(monkeypatch: pytest.MonkeyPatch):
    _, extra = shelf.shipped("concrete_authors")
    counts = extra["num_data"].tolist()

    def study(given: Sequence[int], steps: Sequence[int], width: int, seeds: Sequence[int]):
        assert (list(given), list(steps)) == (counts, extra["num_steps"].tolist())
        assert (width, tuple(seeds)) == (1024, (1, 2))
        rates = np.linspace(0.1, 0.9, len(counts) * 4).reshape(1, len(counts), 4).repeat(2, 0)
        return {"rates": rates, "aleatoric": rates[..., 0], "epistemic": rates[..., 1]}, rates

    monkeypatch.setattr(measurements, "authors_study", study)
    found = measurements.concrete_authors()
    assert set(found) == {
        claim.name for claim in published.CLAIMS if claim.name.startswith("concrete_") and not claim.of
    }
    assert {len(values) for values in found.values()} == {3}
    rates = study(counts, extra["num_steps"].tolist(), 1024, (1, 2))[1]
    for count in (10, 10_000):
        at = counts.index(count)
        assert found[f"concrete_hidden_{count}"][1:] == pytest.approx(rates[:, at, 1:].mean(-1).tolist(), abs=1e-4)
        assert found[f"concrete_input_{count}"][2] == pytest.approx(rates[1, at, 0], abs=1e-4)
        assert found[f"concrete_epistemic_{count}"][0] == pytest.approx(extra["wide_epistemic"][0, at], abs=1e-4)
