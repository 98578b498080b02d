"""The contract's assertions explain themselves as those of a test do."""

import pytest

pytest.register_assert_rewrite("tests.methods.contract")
