"""What maintainers run, as `python -m tools.NAME` from the project's root; `make` has a word for each."""

import sys

# A second saved in every process: jsonschema, on its import, would have this compile a grammar of web
# addresses that no check of a notebook uses. Where it is missing, jsonschema does without.
sys.modules.setdefault("rfc3987_syntax", None)
