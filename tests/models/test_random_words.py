"""Random words: the generator's own bits."""

import numpy as np

from bdlviz.models.random_words import random_words


def test_words_are_those_of_the_bit_generator():
    fast, raw = np.random.Generator(np.random.SFC64(3)), np.random.SFC64(3)
    for count in (1, 7, 1000):
        np.testing.assert_array_equal(random_words(fast, count), raw.random_raw(count))
