"""Exercises of the section on generative models: codes, decoders, their bounds and what one may draw from them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.special import ndtr

from bdlviz.exercises.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.models.likelihoods import log_normaliser
from bdlviz.predictive import latent

# Autoencoder or VAE ---------------------------------------------------------------------------------------------------

AUTOENCODER: tuple[Exercise, ...] = (
    Number(
        "On MNIST-1000 the plain autoencoder's codes have an sd of 15.55. Suppose a VAE put its codes there: at a mean "
        "of 15.55 in both coordinates, with σ = 1. What KL would an image pay?",
        lambda: float(latent.kl_to_prior(np.full((1, 2), 15.55), np.ones((1, 2)))[0]),
        0.02,
        "$2 \\cdot \\frac12 \\mu^2$, more than the 164 nats that a held-out image loses in being restored. So the KL "
        "term keeps codes where the prior draws; without it they may live anywhere.",
        "A coordinate pays $\\frac12(\\mu^2 + \\sigma^2 - \\log\\sigma^2 - 1)$.",
        "nats",
    ),
    Setting(
        "Choose images for which the means of the VAE's codes have an sd below that of the prior.",
        lambda options: options["images"] == "digits",
        {"images": "digits"},
        "On the 8×8 digits it is 0.95. The prior's variance of 1 is shared between the spread of the means and the "
        "width of each q(z|x): on the others, with 1.43 and 1.10, the codes together are wider than the prior.",
        "The prior N(0, I) has 1. Read the last number for each set of images.",
    ),
    Choice(
        "You want new digits. Why not take z from N(0, I) and decode it with the plain autoencoder?",
        (
            "Its decoder draws blurred images only.",
            "Nothing told its codes to be where N(0, I) draws: hardly one of them is there.",
            "It has too few code dimensions.",
        ),
        1,
        "No training image of MNIST-1000 has its code within 2 of the middle. The KL term buys a place to draw from.",
        "Read the axes of both planes.",
    ),
)
BEFORE_DIGIT_CODES = Prediction(
    Choice(
        "The same two networks on the 8×8 digits. Whose codes have an sd near the prior's 1?",
        ("Both.", "The VAE's alone.", "Neither's."),
        1,
        "0.95 against 5.3. With other seeds it is the same: 0.95 to 0.97 against 5.3 to 7.8 in five trainings.",
    ),
    {},
)

# Choose the class -----------------------------------------------------------------------------------------------------

CONDITIONAL: tuple[Exercise, ...] = (
    Number(
        "Held-out images have a bound of −152.6 nats given their class, and of −169.7 nats in the VAE, which is told "
        "none. How far ahead is the first, once it pays for naming one of ten classes?",
        lambda: -152.6 - math.log(10) + 169.7,
        0.02,
        "17.1 − log 10: log p(x) is at least log p(x|y) + log p(y), and p(y) is a tenth. A plane that need not hold "
        "ten classes says more of each. In three trainings the bounds differed by 17 to 21 nats.",
        "To name a class costs log 10 nats.",
        "nats",
    ),
    Setting(
        "On MNIST, show all ten digits with the thinnest strokes that the sliders give, leaning left at one end of the "
        "row and right at the other.",
        lambda options: [options[key] for key in ("images", "class", "walk", "other")] == ["mnist", "all", "2", "2"],
        {"walk": "2", "other": "2"},
        "Here z₂ is slant, and z₁ is weight and width. Another seed would have other coordinates: nothing but the "
        "decoder gives them a meaning.",
        "First find out which coordinate thins the strokes; then run along the other one.",
    ),
    Choice(
        "In the VAE's plane the nearest code is of the same class in 63 % of the cases, here in 19 %. Is this code "
        "worse?",
        (
            "Yes: it has lost the information on the class.",
            "No: the decoder is told the class, so that the code is left with what the classes share.",
            "No: 19 % is the error of the training.",
        ),
        1,
        "Whatever the code says costs KL, and to repeat the class would be a waste. By chance it would be 10 %.",
        "Who tells the decoder the class here?",
    ),
)
BEFORE_SECOND = Prediction(
    Choice(
        "From left to right, along z₁, strokes become thinner. What does z₂ change?",
        ("The slant.", "The digit.", "The thickness again, from top to bottom."),
        0,
        "From leaning left to leaning right, in all ten rows.",
    ),
    {},
)
BEFORE_SEVENS = Prediction(
    Choice(
        "A whole plane of codes is decoded as class 7. Are there other digits in its corners?",
        (
            "Yes: codes of other classes lie there.",
            "No: every picture is some way to write a 7.",
            "Yes, but only 1s and 9s, which are like a 7.",
        ),
        1,
        "The class goes into the decoder beside the code; the code says slant, weight and width.",
    ),
    {},
)

# Decode pad -----------------------------------------------------------------------------------------------------------

DECODE: tuple[Exercise, ...] = (
    Number(
        "The dotted circles in the plane have the radii of 1 and 2 sd of the prior. How many per cent of the codes "
        "drawn from it lie outside the outer one?",
        lambda: 100 * math.exp(-0.5 * 2**2),
        0.05,
        "$P(\\lVert z \\rVert > r) = e^{-r^2/2}$ in a plane: nearly three times the 5 % that are outside 2 sd on a "
        "line. The more dimensions, the more of the prior is far out.",
        "It is not the 5 % of a single number: both coordinates count.",
        "%",
    ),
    Setting(
        "Give a digit 20 numbers, and begin at the code that the prior calls the most likely of all.",
        lambda options: options["codes"] == "20d" and options["start"] == "origin",
        {"codes": "20d", "start": "origin"},
        "The density is highest at z = 0, yet no draw comes near: in 20 dimensions a draw is about √20 ≈ 4.5 away. The "
        "most likely point is not a typical one.",
        "Where is the density of N(0, I) highest?",
    ),
    Choice(
        "Drag far out, where no image has its code. How do you learn that the decoder has never been asked there?",
        (
            "The picture becomes blurred.",
            "The picture becomes noise.",
            "Only by the distance to the nearest code: the picture is as crisp as ever.",
        ),
        2,
        "The decoder answers everywhere. Blur is found in the middle, where classes meet, not far out.",
        "Compare the rim of the pad with its middle.",
    ),
)
BEFORE_MIDDLE = Prediction(
    Choice(
        "At z = 0 the prior is densest. What does the decoder draw there?",
        ("A clear digit, the most frequent one.", "A blurred mixture that is no digit.", "An empty picture."),
        1,
        "Codes of several classes lie around it, and the expected image of a place where classes meet is their mean.",
    ),
    {},
)

# Latent space ---------------------------------------------------------------------------------------------------------

LATENT_SPACE: tuple[Exercise, ...] = (
    Number(
        "In two dimensions an image has its q(z|x) around (1, 1), with an sd of 0.1 in both coordinates. What KL does "
        "it pay?",
        lambda: float(latent.kl_to_prior(np.ones((1, 2)), np.full((1, 2), 0.1))[0]),
        0.02,
        "3.62 of these 4.62 nats are paid for being narrow, 1 for being away from the middle. Images pay 5.8 on "
        "average here.",
        "Add up $\\frac12(\\mu^2 + \\sigma^2 - \\log\\sigma^2 - 1)$ over both coordinates.",
        "nats",
    ),
    Setting(
        "Show a picture whose distances are those of the code itself, and which shows of images how sure their code "
        "is.",
        lambda options: options["codes"] == "2d" and options["marks"] == "ellipses",
        {"codes": "2d", "marks": "ellipses"},
        "A plane needs no t-SNE. An ellipse is one sd of q(z|x): the room that the image's code takes.",
        "t-SNE must go, and a point cannot show a width.",
    ),
    Choice(
        "With 20 dimensions two clusters lie at opposite ends of the t-SNE picture. What does that say of their "
        "distance in z?",
        (
            "They are the two most different classes.",
            "Nothing: t-SNE keeps neighbours, not distances.",
            "It is proportional to the distance in the picture.",
        ),
        1,
        "Another perplexity puts the clusters elsewhere. Who is next to whom within a cluster is what can be read.",
        "Set the perplexity to 5 and to 100 and look again.",
    ),
)
BEFORE_PLANE_OF_CODES = Prediction(
    Choice(
        "With 20 numbers for each image the nearest code is of the same class in 89 % of the cases. And with two?",
        (
            "In as many: the picture was flat before.",
            "In clearly fewer: the classes overlap.",
            "In more: fewer numbers hold the essence.",
        ),
        1,
        "63 %. t-SNE only flattened the picture of 20 numbers; now the decoder has to live on two.",
    ),
    {},
)
BEFORE_HELD_OUT = Prediction(
    Choice(
        "These are training images. How well are images separated that the VAE has never seen?",
        ("About as well.", "Half as well.", "Not at all."),
        0,
        "The nearest code is of the same class in 91 % of the cases, in training in 89 %: classes that nobody told "
        "cannot be learned by heart.",
    ),
    {},
)

# Which likelihood -----------------------------------------------------------------------------------------------------

LIKELIHOOD: tuple[Exercise, ...] = (
    Number(
        "What the Bernoulli term leaves out of a density of grey pixels is smallest where a pixel's parameter is 0.5. "
        "How many nats is it at least for an image of 8×8 pixels?",
        lambda: 64 * float(log_normaliser(np.zeros(()))),
        0.02,
        "64 log 2, more than the whole bound of −24.6 nats that is reported for the 8×8 digits.",
        "At 0.5 the term is ½ for every grey value: what factor gives the area 1?",
        "nats",
    ),
    Setting(
        "Open *Posterior collapse*. Set β to the smallest value at which no code dimension is in use any more.",
        lambda options: options["kl_weight"] == "4",
        {"kl_weight": "4"},
        "At β = 2 four of ten still earn more than they cost. At 4 every posterior is the prior, and every "
        "reconstruction the average image.",
        "A dimension is in use above 0.05 nats; read the caption at each β.",
    ),
    Choice(
        "Bounds on MNIST-1000: grey Bernoulli −148.7, binarised Bernoulli −144.7, continuous Bernoulli 2,970.9, "
        "Gaussian 222.1 nats. Which may be compared?",
        (
            "All four: they are in nats.",
            "The two Bernoulli ones: they are of one kind.",
            "The continuous Bernoulli's and the Gaussian's: both are of densities of grey images.",
            "None of them.",
        ),
        2,
        "Binarised images are other data, and the Bernoulli term on grey pixels is no density.",
        "What is each of them a probability or a density of? See *Bounds*.",
    ),
)
BEFORE_MEANS = Prediction(
    Choice(
        "These are draws, noise included. In which of the four do the means still show their noise?",
        ("In the Gaussian.", "In both Bernoulli models.", "In none."),
        2,
        "The mean leaves the likelihood's noise out, whatever it is. That is why printed pictures do not show it.",
    ),
    {},
)
BEFORE_GREYER_DIGITS = Prediction(
    Choice(
        "On MNIST the continuous Bernoulli has the largest error of the four, 64.5 of 255. And on the 8×8 digits, in "
        "which four of ten pixels are really grey?",
        (
            "The largest error again.",
            "Not the largest: about that of the Bernoulli models.",
            "The smallest error of all.",
        ),
        1,
        "42.3 against 45.6 and 43.2, means of five trainings; the Gaussian has 28.6. The difference to the binarised "
        "Bernoulli is no larger than chance. Which likelihood fits depends on the grey values.",
    ),
    {},
)

# Learned manifold -----------------------------------------------------------------------------------------------------


def _holds_99_percent(options: Mapping[str, str]) -> bool:
    """The smallest range on the slider whose square has 99 % of the prior is 3."""
    reach = float(options["reach"])
    return (1 - 2 * ndtr(-reach)) ** 2 >= 0.99 and reach <= 3


MANIFOLD: tuple[Exercise, ...] = (
    Number(
        "Five digits a side over ±2, with equal prior mass between them: at which z₁ stands the fourth column? Even "
        "steps would put it at 1.",
        lambda: float(latent.code_grid(2, 5, "quantile")[3, 0]),
        0.03,
        "Two of the four steps lie within ±0.64: where the prior is dense, pictures are dense.",
        "From column to column lies a quarter of Φ(2) − Φ(−2) = 0.954.",
    ),
    Setting(
        "Choose the smallest range whose square holds 99 % of the prior's codes.",
        _holds_99_percent,
        {"reach": "3"},
        "$(1 - 2\\Phi(-a))^2$: 91 % at 2, 97.5 % at 2.5, 99.5 % at 3. Both coordinates have to be inside.",
        "One coordinate is within ±2.6 in 99 % of the draws; two must be inside at once.",
    ),
    Choice(
        "Show the training codes over ±2: 29 % lie outside, though only 9 % of the prior's draws would. What follows?",
        (
            "The decoder is too small.",
            "Codes drawn from the prior show some of the images too seldom: the codes together are wider than it.",
            "The KL term counts too much.",
        ),
        1,
        "The average q(z|x) need not be the prior. Here the codes have an sd of 1.43, and what they hold far out is "
        "seldom drawn.",
        "Compare where images are with where draws from N(0, I) go.",
    ),
)
BEFORE_PRIOR_MASS = Prediction(
    Choice(
        "Now equal prior mass between two pictures instead of even steps. Which part of the plane gets more pictures?",
        ("The rim.", "The middle.", "None: it is the same grid, stretched on the page."),
        1,
        "N(0, I) is densest there, so that steps of equal mass are shortest.",
    ),
    {},
)
BEFORE_FAR = Prediction(
    Choice(
        "The range goes on to ±4, into corners where no code lies. What does the decoder draw there?",
        ("Blur.", "Noise.", "Strokes as crisp as ever."),
        2,
        "It goes on with what it draws at the rim, and does not say that no image ever was there.",
    ),
    {"overlay": "train"},
)

# Train a VAE ----------------------------------------------------------------------------------------------------------

VAE: tuple[Exercise, ...] = (
    Number(
        "After 100 epochs the training ELBO is −110.6 nats and the KL 19.1. How large is the reconstruction term?",
        lambda: -110.6 + 19.1,
        0.005,
        "ELBO = reconstruction − KL: 91.5 nats are lost in restoring the image, 19.1 in naming its code.",
        "The KL is subtracted in the ELBO. Mind the sign.",
        "nats",
    ),
    Setting(
        "Choose a likelihood for which the ELBO is a bound on the density of a grey image.",
        lambda options: options["likelihood"] in ("continuous_bernoulli", "gaussian_pixels"),
        {"images": "digits", "likelihood": "continuous_bernoulli", "epochs": "20"},
        "The continuous Bernoulli and the Gaussian are densities of grey values, which may exceed 1: such a bound may "
        "be positive. It cannot be compared with a Bernoulli's.",
        "A Bernoulli variable is 0 or 1, and binarised pixels are no longer grey.",
    ),
    Choice(
        "On 1,000 images the training ELBO is −110.6 and the held-out one −129.8. On all of MNIST they are −94.0 and "
        "−96.3. What made the gap of 19 nats?",
        (
            "Held-out images are harder to draw.",
            "The networks have learned a thousand images by heart.",
            "The held-out number is no bound, the other is one.",
            "The KL term counts less in training.",
        ),
        1,
        "The same networks with sixty times the images leave a gap of 2 nats.",
        "Which can be learned by heart, a thousand images or 60,000?",
    ),
)
BEFORE_PLANE = Prediction(
    Choice(
        "Two code dimensions instead of 20: an image then pays 5.8 instead of 19.1 nats of KL. What does the training "
        "ELBO do?",
        (
            "It rises: 13 nats are saved.",
            "It stays: the two parts balance.",
            "It falls: restoring the image loses more.",
        ),
        2,
        "From −110.6 to −151.2 nats; three trainings of the plane end between −157.9 and −151.2. The reconstruction "
        "loses more than the KL saves.",
    ),
    {},
)
BEFORE_FREE = Prediction(
    Choice(
        "At β = 1 the 8×8 digits pay 3 nats of KL. With β = 0 nobody asks for it: what becomes of it?",
        ("It goes to 0.", "It stays about 3 nats.", "It grows to hundreds of nats."),
        2,
        "Codes become exact and move apart, about 250 nats from the prior; the recorded ELBO, which counts them, "
        "collapses.",
    ),
    {"images": "digits"},
)
BEFORE_COLLAPSE = Prediction(
    Choice(
        "At β = 1 the 8×8 digits use four of 20 dimensions. How many with β = 10?",
        ("More: a dearer code is used better.", "One or two.", "None."),
        2,
        "A nat of code would have to save ten nats in restoring, and none does: every image comes back as the average.",
    ),
    {"images": "digits"},
)
