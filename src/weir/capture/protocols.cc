#include "weir/capture/protocols.h"

#include <algorithm>
#include <array>

namespace weir::capture {
namespace {

struct Row {
  std::string_view algorithm;
  Protocol protocol;
};
constexpr std::array kTable{
    Row{"bbr", Protocol::tcp},       Row{"cubic", Protocol::tcp},     Row{"dctcp", Protocol::tcp},
    Row{"mdctcp", Protocol::tcp},    Row{"newreno", Protocol::tcp},   Row{"dctcp-vai-sf", Protocol::tcp},
    Row{"mnscc", Protocol::uet},     Row{"nscc", Protocol::uet},      Row{"smartt", Protocol::uet},
    Row{"dcqcn", Protocol::rocev2},  Row{"hpcc", Protocol::rocev2},   Row{"hpcc-alpha-fair", Protocol::rocev2},
    Row{"mhpcc", Protocol::rocev2},  Row{"pcc_rl", Protocol::rocev2}, Row{"swift", Protocol::rocev2},
    Row{"mswift", Protocol::rocev2}, Row{"timely", Protocol::rocev2},
};

}  // namespace

std::string_view name_of(Protocol protocol) {
  static constexpr std::array<std::string_view, 3> names{"RoCEv2", "UET", "TCP"};
  return names[static_cast<std::size_t>(protocol)];
}

Protocol protocol_of(std::string_view algorithm) {
  const auto row = std::find_if(kTable.begin(), kTable.end(), [&](const Row& r) { return r.algorithm == algorithm; });
  return row == kTable.end() ? Protocol::rocev2 : row->protocol;
}

Protocol protocol_of(const engine::Model& model, const host::Profile& profile) {
  if (profile.balancing.sprays() || model.network.trimming) return Protocol::uet;
  return protocol_of(profile.algorithm->about.name);
}

}  // namespace weir::capture
