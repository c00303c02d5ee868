// Any bytes are a configuration of weir-host, of which everything that is made of it is within its bounds, or an
// InputError of one line.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

#include "hosts/agent/config.h"
#include "hosts/agent/daemon.h"
#include "hosts/agent/peers.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weir::hosts;
  Config config;
  try {
    config = parse_config({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const weir::InputError& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
    return 0;
  }
  require(!config.interfaces.empty());
  (void)to_json(config).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (const std::int64_t rate : {std::int64_t{0}, std::int64_t{1}, std::int64_t{100'000'000'000'000}}) {
    const SegmentChoice choice = choose_segment(config, {rate, 1'500, 65'536});
    require(choice.limit <= 65'536 && choice.least_threshold >= 0);
    const PathSettings settings = path_settings(config, choice.limit);
    require(settings.max_hold >= 100'000 && settings.max_hold <= 100'000'000);
    require(settings.live_for >= 200'000'000 && settings.live_for <= 5'000'000'000);
    require(settings.rule.max_pause > 0 && settings.rule.max_pause <= 100'000'000);
    require(settings.rule.gain >= 1 && settings.rule.gain <= 1u << 24 && settings.rule.initial_beta <= 1u << 24);
    require(settings.or_ack.packets != 0 || settings.or_ack.bytes != 0);
  }
  for (const auto& peer : config.peers) {
    const auto threshold = peer.threshold.value_or(config.threshold);
    require(!threshold || (*threshold >= 1'000 && *threshold <= 1'000'000'000));
    require(!peer.local || peer.local->v6 == peer.address.v6);
  }
  return 0;
}
