#include "weir/base/random.h"

namespace weir {

double RandomStream::exponential(std::uint64_t index) const {
  // u is in (0, 1]; write u = m * 2^-k with m in (1/2, 1], then -ln u = k ln 2 - ln m and
  // ln m = 2 atanh((m - 1) / (m + 1)), a series in s^2 <= 1/9.
  double m = static_cast<double>((bits(index) >> 11) + 1) * 0x1.0p-53;
  int k = 0;
  while (m <= 0.5) {
    m *= 2;
    ++k;
  }
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  double series = 0;
  for (int n = 33; n >= 1; n -= 2) series = series * s2 + 1.0 / n;
  constexpr double ln2 = 0.693147180559945309417;
  return k * ln2 - 2 * s * series;
}

}  // namespace weir
