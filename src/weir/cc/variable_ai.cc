#include "weir/cc/variable_ai.h"

namespace weir::cc {

void VariableAi::Params::describe(ParamList<Params>& p) {
  p.flag("enabled", &Params::enabled, "Variable Additive Increase: congestion raises the additive increase for a while",
         "Fast Convergence IV-A");
  p.number("bank_cap", &Params::bank_cap, 1, 1e9, "Bank_Cap: most tokens a flow can have", "Fast Convergence VI-A")
      .only_with("enabled", {"true"});
  p.number("ai_cap", &Params::ai_cap, 1, 1e9, "AI_Cap: most tokens that count at once", "Fast Convergence VI-A")
      .only_with("enabled", {"true"});
  p.number("dampener_constant", &Params::dampener_constant, 1e-3, 1e9,
           "Dampener_Constant: tokens are worth 1 / (dampener / this + 1)", "Fast Convergence VI-A")
      .only_with("enabled", {"true"});
}

}  // namespace weir::cc
