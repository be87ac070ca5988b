# <upc_types.h> is plain C for every compiler; every header stands alone in UPC.
printf '#include <upc_types.h>\nint main(void) { return UPC_ADD == 0 || UPC_INT32 == UPC_DOUBLE; }\n' > t.c
for cc in gcc clang; do
  "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -isystem "$(dirname "$UPCC")/../include/upc" -o t t.c && ./t
done
for header in upc upc_relaxed upc_strict upc_types upc_collective upc_tick upc_atomic upc_castable upc_io upc_nb bupc \
    bupc_extensions bupc_collectivev upc_predeclared bupc_upc_names; do
  printf '#include <%s.h>\n#include <%s.h>\nint x;\n' $header $header > h.upc
  "$UPCC" -Wall -Wextra -Werror -fsyntax-only h.upc
done
