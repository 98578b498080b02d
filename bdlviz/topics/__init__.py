"""One folder for each page: everything that only this page needs."""
