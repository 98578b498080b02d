"""The bandit: exact posteriors against matrix formulas, policies in their limits, and regret."""

import numpy as np
import pytest

from bdlviz.errors import InvalidInput
from bdlviz.topics.regression.active_learning import bandit
from bdlviz.topics.regression.active_learning.bandit import GaussianModel, play, prior_covariance

ARMS = np.linspace(0, 1, 21)
TRUTH = np.exp(-0.5 * np.square((ARMS - 0.7) / 0.1))
SEEDS = tuple(range(4))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def model(num_runs: int = 4, widened: float = 1.0) -> GaussianModel:
    return GaussianModel(prior_covariance(ARMS, 0.15), 0.3, num_runs, widened)


def test_one_reward_at_a_time_is_the_regression_on_all_of_them():
    """Rasmussen & Williams 2006, equations 2.23 and 2.24."""
    chosen, rewards = np.array([3, 17, 3, 9]), np.array([0.2, -1.0, 0.5, 0.1])
    belief = model(num_runs=1)
    for arm, reward in zip(chosen, rewards, strict=True):
        belief.observe(np.array([arm]), np.array([reward]))
    prior = prior_covariance(ARMS, 0.15)
    gram = prior[np.ix_(chosen, chosen)] + 0.09 * np.eye(4)
    np.testing.assert_allclose(belief.mean()[0], prior[:, chosen] @ np.linalg.solve(gram, rewards), atol=1e-10)
    covariance = prior - prior[:, chosen] @ np.linalg.solve(gram, prior[chosen])
    np.testing.assert_allclose(belief.std()[0], np.sqrt(np.diag(covariance)), atol=1e-8)
    together, alone = model(num_runs=2), model(num_runs=1)
    together.observe(np.array([3, 17]), np.array([1.0, -1.0]))
    alone.observe(np.array([17]), np.array([-1.0]))
    np.testing.assert_allclose(together.mean()[1], alone.mean()[0])
    for length_scale, std in ((0, 1), (1, 0), (-1, 1)):
        with pytest.raises(InvalidInput, match="positive"):
            prior_covariance(ARMS, length_scale, std)
    with pytest.raises(InvalidInput, match="noise"):
        GaussianModel(np.eye(2), 0.0, 1)
    for length_scale in [0.001, 0.3, 5.0]:
        belief = GaussianModel(prior_covariance(ARMS, length_scale), 0.01, 3)
        for arm in (0, 20, 10, 10):
            belief.observe(np.full(3, arm), np.ones(3))
            assert np.isfinite(belief.draw(rng())).all()


def test_draws_have_the_moments_of_the_posterior():
    belief = model(num_runs=4000)
    belief.observe(np.full(4000, 5), np.full(4000, 1.0))
    draws, mean, std = belief.draw(rng()), belief.mean()[0], belief.std()[0]
    assert (np.abs(draws.mean(0) - mean) < 4 * std / np.sqrt(4000) + 1e-3).all()
    assert (np.abs(draws.std(0) - std) < 4 * std / np.sqrt(8000) + 1e-3).all()
    neighbours = np.corrcoef(draws[:, 15], draws[:, 16])[0, 1]
    assert neighbours == pytest.approx(np.exp(-0.5 * (0.05 / 0.15) ** 2), abs=0.02)
    # Two independent arms: the chance that the first is better is known.
    belief = GaussianModel(np.eye(2), 1.0, 4000)
    belief.observe(np.zeros(4000, int), np.full(4000, 1.0))  # mean 0.5, variance 0.5
    share = np.mean(bandit.thompson(belief, rng())[0] == 0)
    from scipy.stats import norm

    expected = norm.cdf(0.5 / np.sqrt(1.5))
    assert abs(share - expected) < 4 * np.sqrt(expected * (1 - expected) / 4000)


def test_policies_in_their_limits():
    belief = model(widened=0.0)
    belief.observe(np.array([1, 5, 9, 20]), np.ones(4))
    np.testing.assert_array_equal(bandit.thompson(belief, rng())[0], bandit.greedy(belief, rng())[0])
    np.testing.assert_array_equal(bandit.upper_confidence(belief, rng())[0], bandit.greedy(belief, rng())[0])
    belief = model(num_runs=1)
    belief.observe(np.array([0]), np.array([0.0]))
    assert belief.std()[0, bandit.upper_confidence(belief, rng())[0][0]] > 0.9
    belief = model(num_runs=4000)
    belief.observe(np.full(4000, 5), np.ones(4000))
    assert set(bandit.epsilon_greedy(belief, rng(), 0.0)[0]) == {5}
    anywhere = bandit.epsilon_greedy(belief, rng(), 1.0)[0]
    counts = np.bincount(anywhere, minlength=21) / 4000
    assert (np.abs(counts - 1 / 21) < 4 * np.sqrt(1 / 21 / 4000)).all()
    some = np.mean(bandit.epsilon_greedy(belief, rng(), 0.3)[0] != 5)
    assert abs(some - 0.3 * 20 / 21) < 4 * np.sqrt(0.21 / 4000)
    with pytest.raises(InvalidInput, match="probability"):
        bandit.epsilon_greedy(belief, rng(), 1.5)


def test_games_and_regret():
    truth = np.array([0.0, 1.0, 3.0])
    np.testing.assert_array_equal(bandit.expected_regret(truth, np.array([[2, 1, 0]])), [[0, 2, 3]])
    np.testing.assert_array_equal(bandit.cumulative_regret(np.array([[0, 2, 3]])), [[0, 2, 5]])
    first = np.tile([4, 8], (4, 1))
    games = [
        play(model(), TRUTH, policy, num_rounds=6, noise_std=0.3, seeds=SEEDS, first=first)
        for policy in bandit.POLICIES
    ]
    for game in games:
        np.testing.assert_array_equal(game.arms[:, :2], first)
        np.testing.assert_allclose(game.rewards[:, :2], games[0].rewards[:, :2])
        np.testing.assert_allclose(game.regret, TRUTH.max() - TRUTH[game.arms])
        assert game.mean.shape == game.std.shape == game.looked_at.shape == (6, 21)
        np.testing.assert_array_equal(game.mean[0], 0)
    one, again = (play(model(), TRUTH, "thompson", num_rounds=9, noise_std=0.3, seeds=SEEDS) for _ in range(2))
    np.testing.assert_array_equal(one.arms, again.arms)
    short = play(
        model(), TRUTH, "thompson", num_rounds=9, noise_std=0.3, seeds=SEEDS, on_round=lambda number: number < 4
    )
    np.testing.assert_array_equal(short.arms, one.arms[:, :4])
    game = play(model(20), TRUTH, "thompson", num_rounds=150, noise_std=0.3, seeds=tuple(range(20)))
    assert game.regret[:, -20:].mean() < 0.1 < game.regret[:, :20].mean()


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [({"policy": "nonsense"}, "policy"), ({"num_rounds": 0}, "round"), ({"seeds": ()}, "run")],
)
def test_bad_settings_of_a_game_are_refused(changed: dict[str, object], sentence: str):
    settings: dict[str, object] = {"policy": "greedy", "num_rounds": 2, "noise_std": 0.3, "seeds": SEEDS} | changed
    with pytest.raises(InvalidInput, match=sentence):
        play(model(), TRUTH, **settings)  # type: ignore[arg-type]
