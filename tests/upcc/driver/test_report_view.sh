# --report-view: the source with the report and a run's counts beside it, as text and as one HTML file.
mkdir source
sed 's/^TAB/\t/' > source/view.upc <<'E2'
#include <upc.h>
#include "set.h"
#define N 64
shared [N] int a[N * THREADS];
shared [N] int b[N * THREADS];
int main(void) {
  if (MYTHREAD == 0)
    for (int i = 0; i < N; i++) b[N + i] = 5;
  if (MYTHREAD == 0)
TABfor (int i = 0; i < N; i++) if (i % 2 < 1 && N > 3) a[N + i] = i;
  set(&a[N]);


  int *end = 0;


  for (int i = 0; i < N; i++) a[N * MYTHREAD + i] = 0;
  return end != 0;
}
E2
cat > source/set.h <<'E2'
static void set(shared [64] int *to) {
  for (int i = 0; i < 64; i++) to[i] = i;
}
E2
"$UPCC" --report-view source/view.upc > view 2> errors
[ ! -s errors ]
# Without counts there is no column for them; the remark stands below what it is about, also behind a tab.
says -F "    8 |     for (int i = 0; i < N; i++) b[N + i] = 5;" < view
says -F \
  "      |                                  ^ write of 'b[64 + i]' written back in bulk after" < view
says -P \
  "^      \| \t *\^ missed: write of 'a\[64 \+ i\]' goes element by element: some iterations" < view
# Gaps, and headers with loops in them.
says "^  \.\.\.$" < view
fails grep -q "int \*end = 0" view
says "^source/set.h$" < view
says -F "    2 |   for (int i = 0; i < 64; i++) to[i] = i;" < view
# As it would be compiled: what is not optimised is not said to be.
"$UPCC" -O0 --report-view source/view.upc > unoptimised
fails grep -q "in bulk" unoptimised
"$UPCC" -fno-upc-loop-windows --report-view source/view.upc > unoptimised
fails grep -q "b\[64 + i\]' written back in bulk" unoptimised

# With counts of a run, which may name the file by another path.
"$UPCC" -O2 -o view-program source/view.upc
WEFT_MAP_PEERS=0 WEFT_STATS=1 UPC_PLACES=counts.json "$LAUNCH" -n 2 ./view-program 2> said
"$UPCC" --report-view --report-counts=counts.json "$PWD/source/view.upc" > view
says -F "messages and bytes of 2 threads, in all 34 and 640 B" < view
says "^          1    256 B    8 |     for" < view
says "^         32    128 B   10 |" < view
fails grep -q $'\033' view
"$UPCC" -fdiagnostics-color=always --report-view --report-counts=counts.json source/view.upc > view
says -F $'\033[31m' < view
# Places that are not of these files.
echo '{"threads": 2, "places": [{"file": "other.upc", "line": 7, "messages": 9, "bytes": 72}]}' > other.json
"$UPCC" --report-view --report-counts=other.json source/view.upc > view
says "^          9     72 B  other.upc:7$" < view

# HTML: well-formed, all of it in one file, the program's text escaped.
"$UPCC" --report-view=view.html --report-counts=counts.json source/view.upc > said 2>&1
[ ! -s said ]
python3 - <<'E3'
import html.parser, re
text = open("view.html").read()
class Check(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text, self.links, self.ids = [], "", [], set()
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        assert tag not in ("script", "link", "img"), tag
        self.ids.add(attributes.get("id"))
        if "href" in attributes: self.links.append(attributes["href"])
        if tag != "meta": self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        self.text += data
check = Check()
check.feed(text)
assert not check.open, check.open
assert "if (i % 2 < 1 && N > 3) a[N + i] = i;" in check.text
assert "missed: write of 'a[64 + i]' goes element by element" in check.text
assert "34 messages" in check.text and "640 B" in check.text
assert check.links and all(link[1:] in check.ids for link in check.links), check.links
assert "http" not in text
E3

# Bad input.
refused() {
  message=$1; shift; code=0
  "$UPCC" "$@" > said 2>&1 || code=$?
  [ $code -eq 1 ] && says -F -e "$message" < said
}
refused "none.upc: No such file or directory" --report-view none.upc
refused "cannot read the counts in none.json" --report-view --report-counts=none.json source/view.upc
for text in '{"threads": 2}' text; do
  echo "$text" > bad.json
  refused "bad.json is not what UPC_PLACES writes (docs/FORMATS.md)" \
    --report-view --report-counts=bad.json source/view.upc
done
refused "cannot write none/view.html" --report-view=none/view.html source/view.upc
refused "--report-view= needs the name of an HTML file" --report-view= source/view.upc
refused "--report-counts is for --report-view" --report-counts=counts.json -c source/view.upc
refused "--report-view compiles nothing for '-o'; --report-view=FILE.html writes a file" \
  --report-view -o view source/view.upc
refused "--report-counts= needs the name of a file" --report-view --report-counts= source/view.upc
echo 'int main(void) { return x; }' > wrong.upc
refused "'x'" --report-view wrong.upc
