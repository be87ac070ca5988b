#!/usr/bin/python3
"""tools/lint: a tree with one mistake for each check; each is found at its line, and nothing where there is none.

  lint_test.py ROOT
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools" / "lint"))

import text  # noqa: its folder is known only now


class LintTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write(".clang-format", (ROOT / ".clang-format").read_text())
        self.write("src/base/good.hpp", "int f(int a);\n")

    def write(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def lint(self, *arguments, status):
        done = subprocess.run([sys.executable, ROOT / "tools/lint/lint.py", "--root", self.root, *arguments],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def expect(self, check, file, content, *findings):
        self.write(file, content)
        printed = self.lint(check, status=1)
        for finding in findings:
            self.assertRegex(printed, f"(?m)^{file}:{finding}")
        self.assertIn(f"lint: {len(findings)} findings\n", printed)

    def test_a_clean_tree(self):
        self.assertIn("files are clean", self.lint("format", "lines", "blanks", "links", "names", "tidy", status=0))

    def test_layout(self):
        self.expect("format", "src/base/a.cpp", "int a;\nint  b;\n", r"2: \[format\] .*lint.py --fix src/base/a.cpp")

    def test_columns(self):
        row = "| " + "x " * 70 + "|\n"  # cannot be wrapped
        self.expect("lines", "docs/A.md", "x\n" + row + "ä " * 60 + "\n" + "x " * 61 + "\n",
                    r"4: \[lines\] 122 columns")

    def test_blanks(self):
        self.expect("blanks", "src/a.hpp", "int a; \n\tint b;\nint c;", "1:.*end of the line", "2:.*tab", "3:.*newline")

    def test_links(self):
        self.write("docs/B.md", "# A title, `code` here\n")
        self.expect("links", "docs/A.md",
                    "[a](B.md#a-title-code-here) `src/base/good.hpp` `src/base/good` `src/conduit/NAME`\n"
                    "[a](B.md#other)\n`src/base/gone.hpp`\n", "2:.*no section '#other'", "3:.*gone.hpp does not exist")

    def test_links_to_sections_in_quotes(self):
        self.write("docs/B.md", "# Two words\n\n**Led in.** By bold words.\n")
        self.expect("links", "src/a.hpp",
                    "// docs/B.md, \"Led in\"; docs/B.md,\n// \"Two words\"\n// docs/B.md (\"Other\")\n"
                    "const char* text = \"docs/B.md, \\\"Gone\\\"\";\n", "3:.*\"Other\"", "4:.*\"Gone\"")

    def test_names(self):
        self.write("src/a.hpp", "int weft_put(int WEFT_CHECK);\n")
        self.write("Makefile", ".PHONY: all \\\n  bench-net\nlint format:\n")
        self.write("docs/B.md", "make us happy\n")
        self.expect("names", "docs/A.md",
                    "`weft_put` `WEFT_CHECK=1` weft_* `make bench-net` `make -j2` `make cg-S`\n"
                    "weft_get `WEFT_GONE` `make gone` ./weft\n```\nmake format\n./weft lint-all # all\n```\n",
                    "2:.*weft_get", "2:.*WEFT_GONE", "2:.*'gone'", "5:.*'lint-all'")

    def test_variables_that_no_page_names(self):
        self.write("docs/A.md", "`UPC_CACHE` and `LAB_NAME`\n")
        self.write("lab/lab.py", 'os.environ["LAB_NAME"]\n')
        self.expect("names", "src/a.cpp", 'std::getenv("UPC_CACHE");\nstd::getenv("UPC_HIDDEN");\n', "2:.*UPC_HIDDEN")

    def test_python(self):
        self.expect("python", "tools/a.py", "import os\nimport sys  # noqa\n\nx=1\n", "1:.*'os' imported", "4:.*E225")

    def test_shell(self):
        self.write("tools/no_script", "rm $1\n")
        self.expect("shell", "tools/run", "#!/bin/sh\ncd $1\n", r"2: \[shell\] .*SC2164")

    def test_manual_pages(self):
        self.expect("man", "docs/man/a.1", ".Dd January 1, 2026\n.Dt A 1\n.Os\n.Sh NAME\n.Nm a\n.Nd b\n.Xx\n",
                    r"7: \[man\] .*unknown macro")

    def test_pending_files(self):
        self.write("tools/lint/pending.txt", "# why\nlines docs/A.md\nlines docs/B.md\n")
        self.write("docs/A.md", "x " * 61 + "\n")
        printed = self.lint("lines", status=1)
        self.assertIn("tools/lint/pending.txt:3: [lines] docs/B.md obeys now, or is gone", printed)
        self.assertIn("lint: 1 findings", printed)

    def test_wrong_command_lines(self):
        self.assertIn("there is no check 'spelling'", self.lint("spelling", status=1))
        self.write("src/a.cpp", "int a;\n")
        self.assertIn("no compile_commands.json", self.lint("tidy", "--all", "--build", "none", status=1))

    def test_wrapping(self):
        long = "word " * 30
        same = f"| {long}|\n\n```\n{long}\n```\n\nshort\nlines\n\n# {long}\n"
        self.write("docs/A.md", f"{same}\n- {long}\n  end\n- b\n\n1. {long}\n")
        self.lint("--fix", str(self.root / "docs/A.md"), status=0)
        first, rest = ("word " * 23).rstrip(), ("word " * 7).rstrip()
        self.assertEqual((self.root / "docs/A.md").read_text(),
                         f"{same}\n- {first}\n  {rest} end\n- b\n\n1. {first}\n   {rest}\n")

    def test_wrapping_makes_no_list(self):
        for mark in ("-", "12.", "#", "|"):
            words = f"{'word ' * 24}{mark} end"  # the mark would be the first of the second line
            self.assertEqual(text.wrapped([words + " more" * 9])[1].split()[:2], ["word", mark])

    def test_names_of_sections(self):
        self.assertEqual(text.anchor_of("Where `buffers` should lie, and (why)"), "where-buffers-should-lie-and-why")


if __name__ == "__main__":
    unittest.main()
