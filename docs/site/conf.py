"""Sphinx's settings for the pages that build.py has laid out."""
import os
import pathlib
import sys
import types

# docstrings.py and menus.py stand in the folder of the sources, of which the pages' has only this file.
sys.path[:0] = [os.environ["WEIR_DOCS_PACKAGE"], os.environ["WEIR_DOCS_FOLDER"]]

project = "Weir"
author = "The Weir authors"
copyright = "the Weir authors, Apache License 2.0"
version = release = os.environ["WEIR_DOCS_VERSION"]

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "docstrings", "menus"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 6
# Blocks of pages are also in languages that Pygments does not know, or are only nearly in one.
highlight_language = "text"
# Each header says again which namespaces its names are in.
suppress_warnings = ["misc.highlighting_failure", "myst.header", "duplicate_declaration.cpp"]
nitpicky = True
# Types of other libraries, and names within declarations, have no page.
nitpick_ignore_regex = [("cpp:.*", ".*"), ("py:.*", ".*")]

breathe_projects = {"weir": os.environ["WEIR_DOCS_DOXYGEN"]}
breathe_default_project = "weir"
breathe_default_members = ("members",)
breathe_show_include = False

# The menu of every page would have all functions, which takes most of the time.
toc_object_entries = False
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
autodoc_mock_imports = ["gymnasium", "pettingzoo", "onnx", "pandas", "polars", "pyarrow"]
if not list(pathlib.Path(os.environ["WEIR_DOCS_PACKAGE"]).glob("weir/_weir*.so")):
    # Without the extension module, all that it has are empty classes.
    sys.modules["weir._weir"] = types.ModuleType("weir._weir")
    sys.modules["weir._weir"].__getattr__ = lambda name: type(name, (), {})

html_theme = "furo"
html_title = f"Weir {version}"
html_static_path = ["static"]
html_css_files = ["weir.css"]
html_js_files = ["../../versions.js", "versions-menu.js"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
