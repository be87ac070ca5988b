#include "optimise/pass.hpp"

// Pass phase-elimination: pointers-to-shared of indefinite and cyclic layouts have no phase, so their arithmetic has
// none. It decides by the type alone, where lowering writes such arithmetic (Lowerer::spell).

namespace upcc {

const Pass Pass::phase_elimination{
    .name = "phase-elimination", .help = "no phase arithmetic for indefinite and cyclic layouts; constants are folded"};

}  // namespace upcc
