// The list of all algorithms: one line each, sorted by name.
#include <array>

#include "weir/cc/algorithm.h"
#include "weir/cc/bbr.h"
#include "weir/cc/cubic.h"
#include "weir/cc/dcqcn.h"
#include "weir/cc/dctcp.h"
#include "weir/cc/fixed_window.h"
#include "weir/cc/hpcc.h"
#include "weir/cc/hpcc_alpha_fair.h"
#include "weir/cc/median_algorithms.h"
#include "weir/cc/newreno.h"
#include "weir/cc/nscc.h"
#include "weir/cc/smartt.h"
#include "weir/cc/swift.h"
#include "weir/cc/timely.h"

namespace weir::cc {

std::span<const Algorithm> catalogue() {
  static const std::array all{
      describe<Bbr>(),         describe<Cubic>(),  describe<Dcqcn>(),         describe<Dctcp>(),
      describe<FixedWindow>(), describe<Hpcc>(),   describe<HpccAlphaFair>(), describe<MDctcp>(),
      describe<MHpcc>(),       describe<MNscc>(),  describe<MSwift>(),        describe<NewReno>(),
      describe<Nscc>(),        describe<Smartt>(), describe<Swift>(),         describe<Timely>(),
  };
  return all;
}

const Algorithm* find_algorithm(std::string_view name) {
  for (const auto& a : catalogue())
    if (a.about.name == name) return &a;
  return nullptr;
}

}  // namespace weir::cc
