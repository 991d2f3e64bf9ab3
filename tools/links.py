"""The course's public address, and every link that is built from it.

    python -m tools.links OWNER/NAME [REF]

The address stands in one place, `[tool.course]` of `pyproject.toml`. This rewrites it there, and with it the
links of the README and of the lessons; nothing else in those files changes.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.lessons import ROOT, lessons

SETTINGS = ROOT / "pyproject.toml"
README = ROOT / "README.md"


@dataclass(frozen=True)
class Address:
    """Where the course is published.

    Parameters
    ----------
    repository : str
        `owner/name` on GitHub.
    ref : str
        The branch or tag that links point to.
    """

    repository: str
    ref: str

    def __post_init__(self):
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", self.repository) or not re.fullmatch(r"[\w./-]+", self.ref):
            raise ValueError(f"wanted owner/name and a branch or tag, got {self.repository!r} {self.ref!r}")

    @property
    def pages(self) -> str:
        """The site on which the lessons can be read, and run in the browser."""
        owner, name = self.repository.split("/")
        return f"https://{owner}.github.io/{name}"

    def forms(self) -> list[str]:
        """The beginning of every kind of link that has the address in it, the longer ones first."""
        return [
            f"https://colab.research.google.com/github/{self.repository}/blob/{self.ref}",
            f"https://mybinder.org/v2/gh/{self.repository}/{self.ref}",
            f"https://github.com/{self.repository}/blob/{self.ref}",
            f"https://raw.githubusercontent.com/{self.repository}/{self.ref}",
            f"--branch={self.ref}",
            f"https://github.com/{self.repository}",
            self.pages,
        ]


def address(settings: Path = SETTINGS) -> Address:
    """The address as `pyproject.toml` has it."""
    text = settings.read_text(encoding="utf-8")
    return Address(*(re.search(rf'^{key} = "(.*)"$', text, re.M)[1] for key in ("repository", "ref")))


def open_links(name: str, at: Address) -> dict[str, str]:
    """The links that open a lesson, in the order in which its first cell has them.

    Parameters
    ----------
    name : str
        Of the lesson, as `01_tokens`.
    at : Address
    """
    colab, binder, *_ = at.forms()
    return {
        "Colab": f"{colab}/notebooks/{name}.ipynb",
        "Binder": f"{binder}?urlpath=lab/tree/notebooks/{name}.ipynb",
        "JupyterLite": f"{at.pages}/lite/lab/index.html?path=notebooks/{name}.ipynb",
        "page": f"{at.pages}/{name}.html",
    }


def readdressed(text: str, old: Address, new: Address) -> str:
    """A text with its links to the old address changed to the new one, and nothing else."""
    renamed = dict(zip(old.forms(), new.forms()))
    links = "|".join(re.escape(form) for form in renamed)
    return re.sub(rf"(?:{links})(?![\w-])", lambda link: renamed[link[0]], text)


def rewrite(new: Address) -> None:
    """Change the address in `pyproject.toml`, the README and all lessons."""
    old = address()
    for path in [README, *(lesson.path for lesson in lessons())]:
        path.write_bytes(readdressed(path.read_bytes().decode(), old, new).encode())
    settings = SETTINGS.read_bytes().decode()
    for key, value in (("repository", new.repository), ("ref", new.ref)):
        settings = re.sub(rf'^{key} = ".*"', f'{key} = "{value}"', settings, count=1, flags=re.M)
    SETTINGS.write_bytes(settings.encode())


if __name__ == "__main__":
    try:
        rewrite(Address(*sys.argv[1:]))
    except (TypeError, ValueError) as error:
        sys.exit(f"{error}\nmake links REPO=owner/name [REF=main]")
