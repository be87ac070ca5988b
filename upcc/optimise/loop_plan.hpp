#pragma once
#include "ast/stmt.hpp"
namespace upcc { struct LoopPlan {}; }
