# make lab      opens the course in JupyterLab
# make test     runs all tests                      make test ARGS="-m 'not browser'"
# make refresh  re-executes the lessons             make refresh LESSONS=notebooks/01_tokens.ipynb
# make bench    measures the speed                  make bench PARTS="start lessons"
# make links REPO=owner/name [REF=main]             says where the course is published
# make site     builds pages and JupyterLite in _site
# make mutants  puts in wrong versions, one by one   make mutants WORDS="softmax players"
# make mutation scores the tests line by line        make mutation MODULES=story
# make test-environments                            runs the lessons on other Pythons, packages and processors
#
# PYTHON=python3.12 picks the Python that a new .venv is made with; an empty PINS= takes the newest packages allowed.

PYTHON ?= python3
PINS ?= -c tests/reference.txt
REF ?= main

SUPPORTED = import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 14))
PIP = python -m pip install --quiet --disable-pip-version-check $(PINS)
INSTALL = .venv/bin/$(PIP)
GIVE_UP = { rm -rf .venv; echo "$(1)" >&2; exit 1; }

.PHONY: lab test refresh bench links site mutants mutation test-environments

lab: .venv/lab-ready
	.venv/bin/jupyter lab --ServerApp.root_dir=. notebooks/01_tokens.ipynb

test: .venv/test-ready
	.venv/bin/python -m pytest $(ARGS)

refresh: .venv/test-ready
	.venv/bin/python -m tools.refresh $(LESSONS)

bench: .venv/test-ready
	.venv/bin/python -m tools.bench $(PARTS)

links: .venv/lab-ready
	.venv/bin/python -m tools.links $(REPO) $(REF)

site: .venv/site/ready
	.venv/site/bin/python -m tools.site

mutants: .venv/test-ready
	.venv/bin/python -m tools.mutants $(WORDS)

mutation: .venv/test-ready
	@$(INSTALL) -r tests/mutation.txt
	.venv/bin/python -m tools.mutation $(MODULES)

test-environments: .venv/test-ready
	.venv/bin/python -m tools.environments

# A stamp file says that the environment is whole, so that one that was interrupted is made anew.
.venv/lab-ready: requirements.txt tests/reference.txt
	@$(PYTHON) -c '$(SUPPORTED)' || { echo "The course needs Python 3.10 to 3.14. \
	Install one, then name it, for example: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up .venv (once, about a minute) ..."
	@rm -rf .venv
	@$(PYTHON) -m venv .venv || $(call GIVE_UP,Python could not make .venv. \
	On Debian and Ubuntu install what is missing with: sudo apt install python3-venv)
	@$(INSTALL) -r requirements.txt || $(call GIVE_UP,The packages of requirements.txt could not be installed: \
	see above. Is the network there?)
	@.venv/bin/python -c 'import matplotlib.font_manager'  # builds the font cache, or the first lesson would wait
	@touch $@

.venv/test-ready: .venv/lab-ready tests/requirements.txt
	@echo "Adding what the tests need ..."
	@$(INSTALL) -r requirements.txt -r tests/requirements.txt || $(call GIVE_UP,The packages of \
	tests/requirements.txt could not be installed: see above. Is the network there?)
	@touch $@

# An environment of its own: JupyterLite's kernel is an extension that JupyterLab would try to load, and fail.
.venv/site/ready: .venv/lab-ready tools/requirements.txt
	@echo "Setting up what the site needs ..."
	@rm -rf .venv/site
	@.venv/bin/python -m venv .venv/site
	@.venv/site/bin/$(PIP) -r requirements.txt -r tools/requirements.txt || $(call GIVE_UP,The packages of \
	tools/requirements.txt could not be installed: see above. Is the network there?)
	@touch $@
