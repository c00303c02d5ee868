// The list of all algorithms: one line each, sorted by name.
#include <algorithm>
#include <list>
#include <string_view>

#include "weir/cc/algorithm.h"
#include "weir/cc/bbr.h"
#include "weir/cc/cubic.h"
#include "weir/cc/dcqcn.h"
#include "weir/cc/dctcp.h"
#include "weir/cc/external.h"
#include "weir/cc/fixed_window.h"
#include "weir/cc/hpcc.h"
#include "weir/cc/hpcc_alpha_fair.h"
#include "weir/cc/hpcc_per_hop.h"
#include "weir/cc/hpcc_sprayed.h"
#include "weir/cc/median_algorithms.h"
#include "weir/cc/newreno.h"
#include "weir/cc/nscc.h"
#include "weir/cc/pcc_rl.h"
#include "weir/cc/smartt.h"
#include "weir/cc/swift.h"
#include "weir/cc/timely.h"
#include "weir/cc/vai_sf_algorithms.h"

namespace weir::cc {

namespace {

template <class... Kinds>
std::list<Algorithm> described() {
  std::list<Algorithm> out;
  (out.push_back(describe<Kinds>()), ...);
  return out;
}

std::list<Algorithm>& entries() {
  static std::list<Algorithm> all =
      described<Bbr, Cubic, Dcqcn, DcqcnVaiSf, Dctcp, DctcpVaiSf, External, FixedWindow, Hpcc, HpccAlphaFair,
                HpccPerHop, MDctcp, MHpcc, MNscc, MSwift, NewReno, Nscc, PccRl, Smartt, Swift, Timely, TimelyVaiSf>();
  return all;
}

}  // namespace

const std::list<Algorithm>& catalogue() { return entries(); }

const Algorithm& add_algorithm(const Algorithm& algorithm) {
  const std::string_view name = algorithm.about.name;
  check_new_name("an algorithm", name, find_algorithm(name) != nullptr);
  auto& all = entries();
  const auto behind = std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.about.name > name; });
  return *all.insert(behind, algorithm);
}

const Algorithm* find_algorithm(std::string_view name) {
  for (const Algorithm& a : entries())
    if (a.about.name == name) return &a;
  return nullptr;
}

}  // namespace weir::cc
