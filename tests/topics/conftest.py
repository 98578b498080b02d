"""The fixtures of the tests of the explorer, for the tests of topics."""

from tests.ui.conftest import no_installed_components, own_shelf, plain_figures, queue, quick

__all__ = ["no_installed_components", "own_shelf", "plain_figures", "queue", "quick"]
