// gemm: multiplies two random n x n matrices, and checks the product.
#include "apps/linalg/problems.hpp"
#include "apps/linalg/weft_library.hpp"

namespace {

weft_la_variant_t variant_of(const std::string& name) {
  if (name == "pull") return WEFT_LA_PULL;
  if (name == "broadcast") return WEFT_LA_BROADCAST;
  if (name == "blocking") return WEFT_LA_BLOCKING;
  return name == "flat" ? WEFT_LA_FLAT : WEFT_LA_AUTO;
}

linalg_app::Result run(const linalg_app::Options& options, linalg_app::WeftLibrary& library) {
  library.variant = variant_of(options.variant);
  return linalg_app::multiplication(options, library);
}

}  // namespace

int main(int argc, char** argv) {
  return linalg_app::drive(argc, argv, "gemm", "Multiplies two random matrices. Start it with weftrun -n RANKS.",
                           {"auto", "pull", "broadcast", "blocking", "flat"}, run);
}
