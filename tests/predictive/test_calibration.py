"""Scores of class probabilities: against scikit-learn, closed forms and cases small enough to count."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn import metrics
from sklearn.calibration import calibration_curve

from bdlviz.errors import InvalidInput
from bdlviz.predictive import calibration
from bdlviz.types import Array

Sample = tuple[Array, Array]


def made_up(count: int, sharpness: float = 1.0, seed: int = 0) -> Sample:
    """Probabilities (N, 4) and labels drawn from them; ``sharpness`` other than 1 spoils the calibration."""
    rng = np.random.default_rng(seed)
    logits = 2 * rng.standard_normal((count, 4))
    true = softmax(logits, 1)
    labels = (rng.random((count, 1)) > np.cumsum(true, 1)).sum(1).clip(0, 3)
    return softmax(sharpness * logits, 1), labels


@pytest.fixture
def sample() -> Sample:
    return made_up(400, sharpness=2.0)


def test_scores_equal_those_of_scikit_learn(sample: Sample) -> None:
    probabilities, labels = sample
    assert calibration.accuracy(*sample) == metrics.accuracy_score(labels, probabilities.argmax(1))
    assert calibration.negative_log_likelihood(*sample) == pytest.approx(metrics.log_loss(labels, probabilities))
    found = metrics.brier_score_loss(labels, probabilities, scale_by_half=False)  # type: ignore[arg-type]
    assert calibration.brier_score(*sample) == pytest.approx(found)
    found = calibration.reliability(*sample)
    confidence, correct = sample[0].max(1), calibration.is_correct(*sample)
    accuracy, mean = calibration_curve(correct, confidence, n_bins=calibration.NUM_BINS)
    filled = found.count > 0
    np.testing.assert_allclose(found.accuracy[filled], accuracy)
    np.testing.assert_allclose(found.confidence[filled], mean)
    assert np.isnan(found.accuracy[~filled]).all()
    assert found.count.sum() == len(confidence)
    labels = np.array([0, 3, 2])
    right = np.eye(4)[labels]
    assert calibration.negative_log_likelihood(right, labels) == 0
    assert calibration.brier_score(right, labels) == 0
    assert calibration.brier_score(np.roll(right, 1, axis=1), labels) == 2
    assert np.isfinite(calibration.negative_log_likelihood(np.roll(right, 1, axis=1), labels))
    know_nothing = np.full((3, 4), 0.25)
    assert calibration.negative_log_likelihood(know_nothing, labels) == pytest.approx(np.log(4))
    assert calibration.brier_score(know_nothing, labels) == pytest.approx(0.75)


def test_counted_by_hand() -> None:
    probabilities, labels = np.array([[0.8, 0.2], [0.7, 0.3], [0.1, 0.9]]), np.array([0, 1, 1])
    found = calibration.reliability(probabilities, labels, num_bins=5)
    np.testing.assert_array_equal(found.count, [0, 0, 0, 2, 1])
    np.testing.assert_allclose(found.accuracy[3:], [0.5, 1.0])
    np.testing.assert_allclose(found.confidence[3:], [0.75, 0.9])
    assert found.error == pytest.approx(2 / 3 * 0.25 + 1 / 3 * 0.1)
    found = calibration.risk_coverage(np.array([0.4, 0.1, 0.3, 0.2]), np.array([False, True, True, False]))
    np.testing.assert_allclose(found.coverage, [0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(found.risk, [0, 1 / 2, 1 / 3, 2 / 4])
    assert found.area == pytest.approx((1 / 2 + 1 / 3 + 2 / 4) / 4)
    assert found.risk_after_refusing(0) == 0.5
    assert found.risk_after_refusing(0.25) == pytest.approx(1 / 3)
    assert found.risk_after_refusing(0.99) == 0
    found = calibration.risk_coverage(np.zeros(10), np.arange(10) > 2)
    np.testing.assert_allclose(found.risk, 0.3)
    rng = np.random.default_rng(0)
    inside, outside = rng.integers(0, 8, 60), rng.integers(2, 12, 50)  # whole numbers, for ties
    pairs = outside[:, None] - inside
    assert calibration.auroc(inside, outside) == pytest.approx((pairs > 0).mean() + (pairs == 0).mean() / 2)
    assert calibration.auroc(inside, inside) == 0.5
    assert calibration.auroc(inside, inside + 100) == 1


def test_calibrated_and_too_certain_probabilities() -> None:
    calibrated, too_certain = made_up(4000), made_up(4000, sharpness=3.0)
    for (probabilities, labels), is_calibrated in ((calibrated, True), (too_certain, False)):
        chance = calibration.chance_calibration_error(probabilities, num_draws=200)
        error = calibration.expected_calibration_error(probabilities, labels)
        assert (error < np.quantile(chance, 0.99)) == is_calibrated
        assert (error > 5 * chance.max()) != is_calibrated
    few, many = (calibration.chance_calibration_error(made_up(n)[0], num_draws=300).mean() for n in (500, 50_000))
    assert few / many == pytest.approx(10, rel=0.15)


def test_intervals_of_means() -> None:
    """Against the normal approximation: mean plus or minus 1.96 standard errors."""
    values = np.random.default_rng(0).exponential(size=2000)
    low, high = calibration.bootstrap_interval(np.mean, values, num_resamples=4000)
    half = 1.96 * values.std() / np.sqrt(len(values))
    np.testing.assert_allclose([low, high], [values.mean() - half, values.mean() + half], atol=0.1 * half)
    rng = np.random.default_rng(0)
    first, second = rng.normal(0, 1, 400), rng.normal(1, 2, 900)
    low, high = calibration.bootstrap_interval(lambda a, b: b.mean() - a.mean(), first, second)
    half = 1.96 * np.sqrt(first.var() / 400 + second.var() / 900)
    assert (high - low) / 2 == pytest.approx(half, rel=0.1)


def test_interval_of_a_calibration_error_is_freed_of_what_chance_adds() -> None:
    """Its lower end falls to a fraction of what chance gives where there is no error, and nowhere else."""

    def lowest(probabilities: Array, labels: Array) -> float:
        def error(rows: Array) -> float:
            return calibration.expected_calibration_error(probabilities[rows], labels[rows])

        low, _ = calibration.bootstrap_interval(error, np.arange(len(labels)), num_resamples=200)
        return low / float(np.median(calibration.chance_calibration_error(probabilities, num_draws=200)))

    assert np.mean([lowest(*made_up(600, seed=seed)) for seed in range(10)]) < 0.3
    assert lowest(*made_up(600, sharpness=3.0)) > 3


def test_bad_input_is_refused() -> None:
    for probabilities, labels, said in [
        (np.ones((0, 2)), np.ones(0, int), r"\bN\b"),
        (np.ones((3, 2)) / 2, np.zeros(2, int), "labels"),
        (np.ones((3, 2)) / 2, np.zeros((3, 2), int), "labels"),
        (np.ones((3, 2)) / 2, np.array(1), "labels"),
        (np.ones(3), np.zeros(3, int), r"\(N, K\)"),
        (np.ones((3, 2)) / 2, np.array([0, 1, 2]), "0 to 1"),
        (np.ones((3, 2)) / 2, np.array([0.5, 1.0, 1.0]), "whole"),
    ]:
        for score in (calibration.accuracy, calibration.brier_score, calibration.expected_calibration_error):
            with pytest.raises(InvalidInput, match=said):
                score(probabilities, labels)
    with pytest.raises(InvalidInput, match="both"):
        calibration.auroc(np.ones(3), np.ones(0))
    with pytest.raises(InvalidInput, match="answer"):
        calibration.risk_coverage(np.ones(3), np.ones(2, bool))
    with pytest.raises(InvalidInput, match="below"):
        calibration.risk_coverage(np.ones(3), np.ones(3, bool)).risk_after_refusing(1)
    with pytest.raises(InvalidInput, match="num_bins"):
        calibration.reliability(*made_up(10), num_bins=0)
    with pytest.raises(InvalidInput, match="level"):
        calibration.bootstrap_interval(np.mean, np.ones(3), level=95)


# What is no probability -----------------------------------------------------------------------------------------------

SCORES = (
    calibration.accuracy,
    calibration.brier_score,
    calibration.negative_log_likelihood,
    calibration.expected_calibration_error,
    lambda probabilities, _: calibration.chance_calibration_error(probabilities),
)


@pytest.mark.parametrize("wrong", ["nan", "one nan", "logits", "percentages", "counts", "half", "signs", "infinite"])
def test_what_is_no_probability_is_refused(wrong: str, sample: Sample) -> None:
    probabilities, labels = sample
    given = {
        "nan": np.full_like(probabilities, np.nan),
        "one nan": np.where(np.arange(probabilities.size).reshape(probabilities.shape) == 7, np.nan, probabilities),
        "logits": np.log(probabilities),
        "percentages": 100 * probabilities,
        "counts": np.rint(100 * probabilities).astype(int),
        "half": probabilities / 2,
        "signs": np.tile([1.5, -0.5, 0.0, 0.0], (len(labels), 1)),
        "infinite": np.tile([np.inf, -np.inf, 0.0, 0.0], (len(labels), 1)),
    }[wrong]
    for score in SCORES:
        with pytest.raises(InvalidInput, match="sum"):
            score(given, labels)


def test_any_kind_of_number_gives_the_same_score(sample: Sample) -> None:
    """Half and single precision are probabilities up to their rounding; whole numbers may be one-hot."""
    probabilities, labels = sample
    one_hot = np.eye(4)[labels[::-1]]
    for score in SCORES[:4]:
        exact = score(probabilities, labels)
        for dtype, error in ((np.float16, 2e-3), (np.float32, 1e-6)):
            assert score(probabilities.astype(dtype), labels) == pytest.approx(exact, rel=error)
        for dtype in (np.int8, np.int64, np.uint8, bool):
            assert score(one_hot.astype(dtype), labels) == score(one_hot, labels)
        for dtype in (np.int8, np.uint8, np.int16, np.float32):
            assert score(probabilities, labels.astype(dtype)) == exact
    logits = np.random.default_rng(0).standard_normal((50, 1000)).astype(np.float16)
    shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)  # summed in half precision
    assert shares.dtype == np.float16
    assert np.isfinite(calibration.negative_log_likelihood(shares, np.arange(50)))


def test_logarithms_are_taken_in_double_precision() -> None:
    """A half of 2e-5 is a positive number, smaller than the smallest normal one of half precision, 6e-5."""
    rare = np.array([[2e-5, 1 - 2e-5]])
    found = calibration.negative_log_likelihood(rare.astype(np.float16), np.zeros(1, int))
    assert found == pytest.approx(-np.log(float(np.float16(2e-5))), rel=1e-12)
    for dtype, smallest in ((np.float16, 2.0**-24), (np.float32, 2.0**-149), (np.float64, 2.0**-1022)):
        found = calibration.negative_log_likelihood(np.array([[0, 1]], dtype), np.zeros(1, int))
        assert found == pytest.approx(-np.log(smallest), rel=1e-12)


def test_masked_values_are_refused(sample: Sample) -> None:
    probabilities, labels = sample
    is_first = np.arange(len(labels)) == 0
    for score in SCORES[:4]:
        with pytest.raises(InvalidInput, match="masked"):
            score(probabilities, np.ma.array(labels, mask=is_first))
        with pytest.raises(InvalidInput, match="masked"):
            score(np.ma.array(probabilities, mask=np.repeat(is_first[:, None], 4, 1)), labels)
        assert score(np.ma.array(probabilities), np.ma.array(labels)) == score(probabilities, labels)
    values = np.ma.array(probabilities[:, 0], mask=is_first)
    for score in (calibration.auroc, calibration.risk_coverage):
        with pytest.raises(InvalidInput, match="masked"):
            score(values, labels)
        for wrong in (np.full(400, np.nan), np.full(400, np.inf), probabilities):
            with pytest.raises(InvalidInput, match="finite"):
                score(wrong, labels)
