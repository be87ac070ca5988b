"""The page: all figures with their tables, as HTML and as PDF."""

import html
import shutil
import subprocess

STYLE = """
body { font-family: sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; line-height: 1.4 }
h1 { margin-bottom: 0 } h2 { margin-top: 2.2em; border-top: 1px solid #ccc; padding-top: 0.8em }
h3 { margin-bottom: 0.3em }
table { border-collapse: collapse; margin: 0.7em 0; font-size: 0.92em }
th, td { text-align: right; padding: 0.15em 0.8em; border-bottom: 1px solid #e4e4e4 }
th:first-child, td:first-child { text-align: left; padding-left: 0 }
img { width: 100% } .failed { color: #b00020 } .no { color: #b00020; font-weight: bold } .yes { color: #1a7f37 }
.runs { font-size: 0.78em; color: #555; overflow-wrap: anywhere } .runs code { font-size: 0.95em }
.missing { background: #fff6e0; padding: 0.3em 0.6em } .source { color: #666 }
@page { size: A4; margin: 1.6cm } @media print { h3, img, table { break-inside: avoid } h3 { break-after: avoid } }
"""


def number(value):
    """Three digits are what a comparison with a paper is worth."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


def table(head, rows):
    cells = ["<tr>" + "".join(f"<th>{html.escape(text)}</th>" for text in head) + "</tr>"]
    cells += ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    return "<table>" + "\n".join(cells) + "</table>"


def verdict(row):
    if row.holds is None:
        return "not run"
    return '<span class="yes">yes</span>' if row.holds else '<span class="no">no</span>'


def claims_table(rows):
    head = ["", "paper", "simulated", "simulated over paper", "goal", "met", "measured here"]
    return table(head, [[html.escape(row.claim.what), number(row.claim.paper), number(row.ours), number(row.ratio),
                         html.escape(row.claim.goal.text), verdict(row), number(row.measured)] for row in rows])


def moves_table(moves):
    head = ["how a missed number moves", "with", "halved", "as it is", "doubled"]
    return ("<p>These numbers of the platform are not published, so a miss may be theirs:</p>"
            + table(head, [[html.escape(move.claim.what), html.escape(move.parameter), number(move.half),
                            number(move.ours), number(move.double)] for move in moves]))


def runs_list(figure, runs):
    """Every run with its command and what it depends on; those that failed outside the fold."""
    made, failed = [], []
    for run in dict.fromkeys(run for series in figure.series for run in series.all_runs):
        if run in runs.failures:
            failed.append(f'<p class="failed">Failed: <code>{html.escape(runs.text(run))}</code>: '
                          f"{html.escape(runs.failures[run])}</p>")
        elif run in runs.results:
            entry = runs.results[run]
            about = f"{entry['calibration']}; seed {entry['seed']}" if entry["simulated"] else "measured"
            made.append(f"<li><code>{html.escape(entry['command'])}</code><br>{html.escape(about)}; "
                        f"{entry['real_seconds']:.1f} s</li>")
    if made:
        made = [f'<details class="runs"><summary>{len(made)} runs</summary><ul>', *made, "</ul></details>"]
    return "".join([*failed, *made])


def section(figure, rows, moves, runs, drawn):
    parts = [f'<h3 id="{figure.name}">{html.escape(figure.title)}</h3>',
             f'<p>The paper: {html.escape(figure.statement)} <span class="source">({html.escape(figure.source)})</span>'
             "</p>"]
    if drawn:
        parts.append(f'<img src="{figure.name}.svg" alt="{html.escape(figure.title)}">')
    if rows:
        parts.append(claims_table(rows))
    if figure.sentence:
        parts.append(f"<p>{html.escape(figure.sentence)}</p>")
    if moves:
        parts.append(moves_table(moves))
    if figure.missing:
        parts.append(f'<p class="missing">Not drawn. {html.escape(figure.missing)}</p>')
    return "\n".join([*parts, runs_list(figure, runs)])


def summary(sections):
    """One row a figure: how many of its numbers are near enough."""
    rows = []
    for figure, figure_rows, _, _ in sections:
        known = [row for row in figure_rows if row.holds is not None]
        rows.append([f'<a href="#{figure.name}">{html.escape(figure.title)}</a>',
                     f"{sum(row.holds for row in known)} of {len(known)}" if known else "-",
                     str(len(figure_rows) - len(known) or "")])
    return table(["figure", "numbers within their goals", "not run"], rows)


def write(groups, runs, path, version):
    """`groups`: (title of a paper, its sections); a section is (figure, rows, moves, drawn)."""
    all_sections = [each for _, sections in groups for each in sections]
    text = [f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>The papers, redrawn</title>"
            f"<style>{STYLE}</style></head><body>", "<h1>The papers, redrawn</h1>",
            f"<p>Figures and tables of the papers that Weft implements, from Weft {html.escape(version)}: simulated on "
            "platforms that describe the papers' machines, and measured where it runs for real. docs/REPORT.md says "
            "how to read this page and what to trust.</p>", summary(all_sections)]
    for title, sections in groups:
        text.append(f"<h2>{html.escape(title)}</h2>")
        text += [section(figure, rows, moves, runs, drawn) for figure, rows, moves, drawn in sections]
    path.write_text("\n".join([*text, "</body></html>"]) + "\n", encoding="utf-8")


def write_pdf(path):
    """Beside the HTML; returns why there is none, or nothing."""
    program = shutil.which("weasyprint")
    if program is None:
        return "no PDF: needs weasyprint (Debian: weasyprint)"
    done = subprocess.run([program, path, path.with_suffix(".pdf")], capture_output=True, text=True, timeout=300,
                          check=False)
    return "" if done.returncode == 0 else f"no PDF: weasyprint failed: {done.stderr.strip().splitlines()[-1:]}"
