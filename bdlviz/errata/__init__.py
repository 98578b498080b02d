"""Errata of the lectures: each wrong formula beside the right one, with the measured effect.

``ERRATA[name].measure()`` runs a live example of some milliseconds and returns its numbers and a picture.
"""

from __future__ import annotations

from bdlviz.errata import bayes, concrete, dropout, dropout_weights, inference, prediction
from bdlviz.errata.base import Effect, Erratum, Number

ERRATA: dict[str, Erratum] = {
    erratum.name: erratum
    for erratum in (
        bayes.PROPORTIONAL,
        bayes.SAME_THETA,
        dropout.KEEP_OR_DROP,
        dropout.LEARNING_RATE,
        dropout_weights.DECAY_PER_POINT,
        dropout.LENGTH_SCALE,
        inference.RIDGE,
        inference.ASCENT,
        dropout.NOISE_VARIANCE,
        inference.ARD_KL,
        inference.ARD_CONSTANT,
        inference.RHO_GRADIENT,
        inference.MINIBATCH_KL,
        inference.DESCRIPTION_LENGTH,
        prediction.PREDICTIVE_SUM,
        prediction.GREY_PIXELS,
        prediction.PLUG_IN,
        dropout.INVERTED_DROPOUT,
        dropout.MASK_PER_POINT,
        dropout_weights.INDEPENDENT_WEIGHTS,
        concrete.RELAXED_BERNOULLI,
    )
}

__all__ = ["ERRATA", "Effect", "Erratum", "Number"]
