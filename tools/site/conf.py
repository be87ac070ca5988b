"""Settings of Sphinx for the site; make_site.py lays out what it reads, weft_links.py makes the links."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

project = "Weft"
release = os.environ["SITE_VERSION"]
html_title = f"Weft {release}"
templates_path = []

extensions = ["myst_parser", "weft_links"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # a heading that skips a level
primary_domain = "c"
highlight_language = "text"
nitpicky = True
smartquotes = False  # options begin with two hyphens
c_id_attributes = ["shared"]  # of UPC
nitpick_ignore = [("c:identifier", name) for name in (
    "size_t", "ptrdiff_t", "uint8_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
    "upc_handle_t", "upc_flag_t", "upc_op_t", "upc_type_t",  # of the C library, and of the UPC specification
    "upcr_known_page_t", "upcr_window")]  # only for the headers themselves; the tag of a type that has a name

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["weft.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
toc_object_entries_show_parents = "hide"
