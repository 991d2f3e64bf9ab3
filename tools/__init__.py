"""What maintainers run, as `python -m tools.NAME` from the project's root; `make` has a word for each."""
