"""The pages on digits: classifiers that know what they do not know."""
