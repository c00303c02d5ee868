#include "weir/gym/settings.h"

#include <fmt/format.h>

#include <cmath>

#include "weir/base/error.h"

namespace weir::gym {
namespace {

void require(bool is_valid, const char* key, double value, const char* valid) {
  if (!is_valid) throw InputError(std::string(key), fmt::format("{} is not possible; valid is {}", value, valid));
}

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

}  // namespace

void check(const Settings& s) {
  require(s.history >= 1 && s.history <= 8, "history", s.history, "1 to 8");
  require(s.inputs == policy::Inputs::code || s.history == 1, "history", s.history,
          "1 with the inputs 'paper', which tell of the last decision only");
  require(is_positive(s.clip), "clip", s.clip, "a number above 0");
  require(is_positive(s.signal.target), "target", s.signal.target, "a number above 0");
  require(std::isfinite(s.signal.beta) && s.signal.beta >= 0, "beta", s.signal.beta, "a number from 0 on");
  require(is_positive(s.signal.scale), "scale", s.signal.scale, "a number above 0");
  require(s.signal.base_rtt.ps >= 0, "base_rtt", static_cast<double>(s.signal.base_rtt.ps), "a time from 0 on");
  const bool by_queue = s.signal.queue_unit.ps > 0;
  require(s.signal.queue_unit.ps >= 0, "queue_unit", static_cast<double>(s.signal.queue_unit.ps), "a time from 0 on");
  require(!by_queue || s.signal.base_rtt.ps == 0, "base_rtt", s.signal.base_rtt.seconds(),
          "0 with queue_unit, for each flow's own counts");
  require(
      std::isfinite(s.signal.queue_packets) && s.signal.queue_packets >= 0 && (by_queue || s.signal.queue_packets == 0),
      "queue_packets", s.signal.queue_packets, "a number from 0 on with queue_unit, and 0 without it");
  require(s.signal.power >= 1 && s.signal.power <= 8, "power", s.signal.power / 8.0, "0.125, 0.25, ... 1");
  if (s.least_first_rate == 0 && s.most_first_rate == 0) return;
  require(s.most_first_rate > 0 && s.most_first_rate <= 1, "first_rates", s.most_first_rate, "above 0, up to 1");
  require(s.least_first_rate > 0 && s.least_first_rate <= s.most_first_rate, "first_rates", s.least_first_rate,
          "above 0, up to the larger one of the two");
}

InputError factor_error(double factor, std::size_t place) {
  return InputError(
      "actions", fmt::format("action {} is {}; valid is a finite factor above 0 for the flow's rate", place, factor));
}

}  // namespace weir::gym
