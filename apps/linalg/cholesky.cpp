// cholesky: factors a random symmetric positive definite n x n matrix, and checks the factor by solving with it.
#include "apps/linalg/problems.hpp"
#include "apps/linalg/weft_library.hpp"

namespace {

linalg_app::Result run(const linalg_app::Options& options, linalg_app::WeftLibrary& library) {
  library.triangle = options.variant == "upper" ? WEFT_LA_UPPER : WEFT_LA_LOWER;
  return linalg_app::cholesky(options, library);
}

}  // namespace

int main(int argc, char** argv) {
  return linalg_app::drive(argc, argv, "cholesky",
                           "Factors a random positive definite matrix. Start it with weftrun -n RANKS.",
                           {"lower", "upper"}, run);
}
