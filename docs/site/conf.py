"""The documentation as a site: `make site` calls Sphinx with this file. The pages are those of the repository. Here are their order,
and what a site has besides: references from docstrings and headers, and the live page."""

import os
import re
import sys

from pygments.lexers import BashLexer, PythonLexer

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

project = "boids"
with open(os.path.join(ROOT, "VERSION"), encoding="utf-8") as file:
    html_title = "boids " + file.read().strip()
html_theme = "furo"
html_extra_path = [os.path.join(ROOT, "build", "page", "boids.html")]
# Debian's build of Furo lacks the dark colours of "auto" and the margins of normalize.css.
DARK = """addEventListener("DOMContentLoaded", () => {
    document.body.style.margin = 0;
    if (document.body.dataset.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches)
        document.body.dataset.theme = "dark";
});"""
html_js_files = [(None, {"body": DARK})]

root_doc = "README"
CONTENTS = {
    "First steps": "docs/tutorial docs/coming_from docs/gallery/README docs/page",
    "Run": "docs/running docs/sweeps docs/files docs/mpi docs/performance",
    "Models": "docs/models docs/keys docs/comparison docs/validation",
    "Measure and draw": "docs/observables docs/analysis docs/animals docs/films",
    "Python and C": "docs/python docs/rule docs/site/python_reference docs/site/c_reference",
    "The Pico": "docs/firmware firmware/rp2040/README examples/pico-sdk/README",
    "The project": "docs/architecture CONTRIBUTING SECURITY CHANGELOG",
}
PAGES = " ".join((root_doc, *CONTENTS.values())).split()
include_patterns = [f"{page}.{ending}" for page in PAGES for ending in ("md", "rst")]

extensions = ["myst_parser", "sphinx.ext.autodoc", "breathe"]
myst_heading_anchors = 4
autodoc_default_options = {"members": True, "undoc-members": True, "inherited-members": "Exception"}
autodoc_member_order = "bysource"
breathe_projects = {"boids": os.path.join(ROOT, "build", "doxygen", "xml")}
breathe_default_project = "boids"
breathe_domain_by_extension = {"h": "c"}
# Names that our pages give to blocks, by which tests find them.
LEXERS = dict.fromkeys("pandas mdanalysis ase pvpython live ctypes numba".split(), PythonLexer)
LEXERS |= dict.fromkeys(("resume", "h5dump"), BashLexer)
suppress_warnings = ["misc.highlighting_failure"]


def complete(app, page, source):
    """The contents follow the front page; its first link and the pictures of the gallery lead to the live page."""
    if page == root_doc:
        link = r"\[(.*?)\]\(docs/page\.md\)"
        source[0] = re.sub(link, r'<a href="boids.html">\1</a>', source[0], count=1)
        for caption, pages in CONTENTS.items():
            places = "".join(f"/{place}\n" for place in pages.split())
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{places}```\n"
    elif page == "docs/gallery/README":
        to_page = r'[![\1](\1.png)](../page.md)\n\n<a href="../../boids.html#preset=\1">Play it</a>'
        source[0] = re.sub(r"\[!\[(\w+)\]\(.*?\)\]\(.*?\)", to_page, source[0])


def read_docstring(app, what, name, thing, options, lines):
    """Our docstrings are plain text, of which indented lines are examples or tables."""
    text, is_block = [], False
    for line in lines:
        if line.strip() and line.startswith(" ") != is_block:
            is_block = not is_block
            text += ["", "::", ""] if is_block else [""]
        text.append(line if is_block else re.sub(r"([*|`\\]|_\b)", r"\\\1", line))
    lines[:] = text


def setup(app):
    app.connect("source-read", complete)
    app.connect("autodoc-process-docstring", read_docstring)
    for name, lexer in LEXERS.items():
        app.add_lexer(name, lexer)
