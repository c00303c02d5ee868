// Any bytes are a policy that decides, and is written and read back the same, or an InputError.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "weir/base/error.h"
#include "weir/policy/decider.h"
#include "weir/policy/policy_file.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weir::policy;
  Policy policy;
  try {
    policy = parse_policy({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const weir::InputError&) {
    return 0;
  }
  const std::string text = policy_text(policy);
  require(policy_text(parse_policy(text, "again")) == text);
  const Decider decider(policy);
  alignas(8) std::array<std::byte, Decider::kMaxMemory> memory;
  decider.start(memory.data());
  Observation o;
  o.base_rtt = weir::Time{8'192'000};
  for (int i = 0; i < 16; ++i) {
    o.rtt = weir::Time{1 + o.base_rtt.ps * i};
    o.rate = 1.0 / (1 + i * i);
    o.sent = static_cast<std::uint32_t>(i);
    const double factor = decider.decide(o, memory.data());
    require(factor >= 0.5 && factor <= 2);
  }
  return 0;
}
