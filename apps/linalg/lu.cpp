// lu: solves A x = b with a random n x n matrix by LU with partial pivoting, timed and checked by HPL's rules.
#include "apps/linalg/problems.hpp"
#include "apps/linalg/weft_library.hpp"

int main(int argc, char** argv) {
  return linalg_app::drive(argc, argv, "lu",
                           "Solves a random system by LU, as HPL does. Start it with weftrun -n RANKS.", {"hpl"},
                           linalg_app::lu<linalg_app::WeftLibrary>);
}
