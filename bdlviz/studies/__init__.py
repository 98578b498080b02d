"""Studies: the fits and arrays that are computed and shipped for the pages."""
