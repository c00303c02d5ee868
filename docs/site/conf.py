"""Sphinx's settings for the pages that build.py has laid out."""
import os

project = "Weir"
author = "The Weir authors"
copyright = "the Weir authors, Apache License 2.0"
version = release = os.environ["WEIR_DOCS_VERSION"]

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 6
# Blocks of pages are also in languages that Pygments does not know, or are only nearly in one.
highlight_language = "text"
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
nitpicky = True

html_theme = "furo"
html_title = f"Weir {version}"
html_static_path = ["static"]
html_css_files = ["weir.css"]
html_js_files = ["../../versions.js", "versions-menu.js"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
