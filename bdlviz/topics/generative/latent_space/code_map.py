"""Codes in the plane: as they are, or by t-SNE, which is shipped for one perplexity and computed for the others."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import cast

import numpy as np

from bdlviz.fits import GenerativeFit
from bdlviz.predictive import embedding
from bdlviz.topics.generative.latent_space.controls import PERPLEXITY, SHIPPED_PERPLEXITY
from bdlviz.topics.shared import autoencoders
from bdlviz.topics.shared.autoencoders import CODES, IMAGES, PART, Autoencoder
from bdlviz.types import Array
from bdlviz.ui.jobs.queue import Job
from bdlviz.ui.jobs.shipped import shipped_or_made
from bdlviz.ui.jobs.watch import time_left
from bdlviz.ui.model import Need, Setting


@dataclass(frozen=True, eq=False)
class CodeMap:
    """A shipped VAE, and where the codes of one part of its images lie in the plane, (N, 2)."""

    model: Autoencoder
    positions: Array


def needed(setting: Setting) -> Need[CodeMap]:
    """The chosen codes in the plane."""
    images, codes, part, perplexity = setting[IMAGES], setting[CODES], setting[PART], int(setting[PERPLEXITY])
    if codes == "2d" or perplexity == SHIPPED_PERPLEXITY:
        return autoencoders.needed_together(images, ("vae", codes), read=lambda found: _shipped(found[0], part))
    name = f"vae_{images}_{codes}"

    def model(cancel: threading.Event) -> Autoencoder:
        fit, extra = shipped_or_made(name, cancel)
        return Autoencoder(images, cast(GenerativeFit, fit), extra)

    return Need(
        ("embedding", name, part, perplexity),
        work=lambda look, cancel: embedding.embed(
            model(cancel).mean(part), perplexity, on_snapshot=look, cancel=cancel
        ),
        read=lambda positions: CodeMap(model(threading.Event()), positions),
        waits=False,
        kind="embedding",
        tell=_how_far,
    )


def _shipped(model: Autoencoder, part: str) -> CodeMap:
    is_plane = model.latent_dim == 2
    return CodeMap(model, model.mean(part) if is_plane else model.extra[f"{part}_embedding"].astype(np.float32))


def _how_far(job: Job[Array]) -> tuple[float, str]:
    if job.progress is None:
        return 0.0, "t-SNE …"
    left = time_left(job.progress[0])
    return job.progress[0].fraction, f"t-SNE · {left}" if left else "t-SNE …"
