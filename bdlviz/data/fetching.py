"""Downloading the files of a data set that are not on this computer."""

from __future__ import annotations

from bdlviz.data import files
from bdlviz.data.remote import OnProgress, Remote


def fetch_missing(remote: Remote, on_progress: OnProgress | None = None) -> bool:
    """Download the files of a data set that are not on this computer; True if all are there afterwards.

    ``on_progress`` is called a few times a second; the download stops when it returns False.

    Raises:
        InvalidInput: the download failed; no file is kept.
    """
    if all(map(files.is_available, remote.names)):
        return True
    from bdlviz.data import downloads  # takes half a second

    return downloads.fetch(remote, on_progress)
