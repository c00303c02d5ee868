// Any bytes are a distribution whose draws stay inside its bounds, or an InputError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "weir/base/error.h"
#include "weir/traffic/size_distribution.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using weir::traffic::SizeDistribution;
  try {
    const auto d = SizeDistribution::parse({reinterpret_cast<const char*>(data), size}, "fuzz");
    require(d.mean() > 0 && d.mean() <= static_cast<double>(d.largest().count));
    weir::Bytes last{1};
    for (int i = 0; i <= 64; ++i) {
      const auto q = d.quantile(i / 64.0);
      require(q >= last && q <= d.largest());
      last = q;
    }
    require(d.quantile(1 - 0x1p-53) <= d.largest());
  } catch (const weir::InputError&) {
  }
  return 0;
}
