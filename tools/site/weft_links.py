"""Makes links of what the guides and the reference name in plain text: functions, types and constants of the interface,
headers, pages and commands. The sources stay readable without the site. A page or function that does not exist is a
warning, which ends `make site`."""

import re

from docutils import nodes
from pygments.lexers.c_cpp import CLexer
from pygments.token import Keyword
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

LOG = logging.getLogger(__name__)
TEXT = re.compile(r"""(?P<page>\b(?:docs/)?[A-Za-z][\w-]*\.md\b)
  | (?P<header>(?:include/)?\bweft/[\w/]+\.h\b)
  | (?P<name>\b(?:weft|WEFT|upc|UPC|upcr|UPCR|bupc)_\w+)(?P<call>\(\))?
  | (?P<command>\b[a-z][\w-]*)\(1\)""", re.X)
UPC_WORDS = {"shared", "strict", "relaxed", "upc_forall", "upc_barrier", "upc_notify", "upc_wait", "upc_fence",
             "THREADS", "MYTHREAD", "upc_blocksizeof", "upc_elemsizeof", "upc_localsizeof"}
# Where no link is wanted.
CLOSED = (nodes.reference, nodes.title, nodes.literal_block, nodes.raw, nodes.image)


class NameLinks(SphinxPostTransform):
    default_priority = 5

    def run(self, **kwargs):
        self.symbols = {}
        for name, _, kind, page, anchor, _ in self.env.get_domain("c").get_objects():
            if kind not in ("functionParam", "member"):
                self.symbols.setdefault(name.rsplit(".", 1)[-1], (page, anchor))
        for literal in list(self.document.findall(nodes.literal)):
            if not self.is_closed(literal):
                self.link_literal(literal)
        for text in list(self.document.findall(nodes.Text)):
            if text.astext() == " -- ":  # Sphinx's own, between a parameter and what it is
                text.parent.replace(text, nodes.Text(" – "))
            elif not self.is_closed(text) and not isinstance(text.parent, nodes.literal):
                self.link_text(text)

    def is_closed(self, node):
        while node is not None:
            if isinstance(node, CLOSED) or node.tagname.startswith("desc_sig") or node.tagname == "desc_name":
                return True
            node = node.parent
        return False

    def target(self, match, node):
        """(page, anchor) of what is named; None if it is nothing of ours."""
        pages = self.env.found_docs
        if match["page"]:
            name = match["page"].removesuffix(".md")
            page = {"README": "index", "CHANGELOG": "CHANGELOG"}.get(name, name)
            if page not in pages and not name.startswith("docs/"):
                page = "docs/" + name
            if page in pages:
                return page, ""
            if match["page"].startswith("docs/"):
                LOG.warning("there is no page %s", match["page"], location=node)
        elif match["header"]:
            page = "reference/" + match["header"].removeprefix("include/").removesuffix(".h").replace("/", "-")
            return (page, "") if page in pages else None
        elif match["command"]:
            page = "man/" + match["command"]
            return (page, "") if page in pages else None
        else:
            found = self.symbols.get(match["name"])
            if found is None and match["call"] and match["name"].startswith("weft_"):
                LOG.warning("there is no function %s in the reference", match["name"], location=node)
            return found
        return None

    def reference(self, target, child):
        page, anchor = target
        return make_refnode(self.app.builder, self.env.docname, page, anchor, child)

    def link_literal(self, literal):
        text = literal.astext()
        match = TEXT.match(text)
        if "man/" + text in self.env.found_docs:
            target = "man/" + text, ""
        elif match is None or not (match.end() == len(text) or text[match.end()] == "("):
            return
        else:
            target = self.target(match, literal)
        if target is not None and target != (self.env.docname, ""):
            literal.replace_self(self.reference(target, literal.deepcopy()))

    def link_text(self, node):
        text, end, parts = node.astext(), 0, []
        for match in TEXT.finditer(text):
            target = self.target(match, node)
            if target is None or target == (self.env.docname, ""):
                continue
            parts.append(nodes.Text(text[end:match.start()]))
            parts.append(self.reference(target, nodes.Text(match[0])))
            end = match.end()
        if parts:
            node.parent.replace(node, [*parts, nodes.Text(text[end:])])


class UpcLexer(CLexer):
    """Colours of UPC programs: C and its own words."""

    name, aliases, filenames = "UPC", ["upc"], ["*.upc"]

    def get_tokens_unprocessed(self, text, stack=("root",)):
        for index, token, value in super().get_tokens_unprocessed(text, stack):
            yield index, Keyword if value in UPC_WORDS else token, value


def setup(app):
    app.add_lexer("upc", UpcLexer)
    app.add_post_transform(NameLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
