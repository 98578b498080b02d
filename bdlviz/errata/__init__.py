"""Errata of the lectures: each wrong formula beside the right one, with the measured effect.

``ERRATA[name].measure()`` runs a live example of some milliseconds and returns its numbers and a picture.
"""

from __future__ import annotations

from bdlviz.errata import (
    ard,
    bayes,
    bounds,
    chain_rule,
    concrete,
    dropout,
    dropout_scales,
    dropout_weights,
    edges,
    point_estimates,
    prediction,
    variational,
)
from bdlviz.errata.base import Effect, Erratum, Number

ERRATA: dict[str, Erratum] = {
    erratum.name: erratum
    for erratum in (
        bayes.PROPORTIONAL,
        bayes.SAME_THETA,
        dropout.KEEP_OR_DROP,
        dropout_scales.LEARNING_RATE,
        dropout_weights.DECAY_PER_POINT,
        dropout_scales.LENGTH_SCALE,
        point_estimates.RIDGE,
        point_estimates.ASCENT,
        chain_rule.CHAIN_RULE,
        dropout.NOISE_VARIANCE,
        ard.ARD_KL,
        ard.ARD_CONSTANT,
        variational.RHO_GRADIENT,
        variational.MINIBATCH_KL,
        bounds.EVIDENCE,
        bounds.LOG_Q,
        bounds.SUM_TO_N,
        bounds.MINIMISED,
        variational.DESCRIPTION_LENGTH,
        prediction.PREDICTIVE_SUM,
        prediction.GREY_PIXELS,
        prediction.PLUG_IN,
        dropout_scales.INVERTED_DROPOUT,
        dropout.MASK_PER_POINT,
        dropout_weights.INDEPENDENT_WEIGHTS,
        edges.DEPTH_EDGES,
        concrete.RELAXED_BERNOULLI,
    )
}

__all__ = ["ERRATA", "Effect", "Erratum", "Number"]
