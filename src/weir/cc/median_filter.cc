#include "weir/cc/median_filter.h"

#include <cassert>
#include <cstring>

namespace weir::cc {
namespace {

float median_of_three(float a, float b, float c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

}  // namespace

void MedianFilter::Params::describe(ParamList<Params>& p) {
  p.integer("history", &Params::history, 0, kCapacity,
            "H: signals of which the median is taken; 0 = half of the packets in which the window grows by one, by the "
            "window of the moment",
            "Spraying III-C, equations 7 to 9");
  p.number("nyquist_most", &Params::nyquist_most, 0, 1e6,
           "where history = 0: most packets in which a window grows by one; 0 = a whole window",
           "Spraying III-C, equation 9");
  p.number("percentile", &Params::percentile, 0, 100,
           "which of the signals, in order of size, where selection = exact; 50 = the median, the lower one of an even "
           "number",
           "Spraying IV, figure 12");
  p.choice("selection", &Params::selection, {"exact", "tree"},
           "the percentile itself, or nearly the median: medians of three, of three of them, and so on",
           "Spraying III-B");
}

double MedianFilter::observe(const Params& p, double signal, std::size_t h) {
  assert(h >= 1 && h <= kCapacity);
  while (size_ >= h) drop_oldest();
  add(static_cast<float>(signal));
  if (size_ == 1) return signal;
  if (p.selection == Selection::tree) return static_cast<double>(tree());
  const double place = p.percentile * static_cast<double>(size_ - 1) / 100;
  return static_cast<double>(ring_[order_[static_cast<std::size_t>(place)]]);
}

// How many signals have the property. The ring's two halves are contiguous, so that this takes four at a time.
template <class F>
std::size_t MedianFilter::count_if(F&& f) const {
  const std::size_t end = next_ >= size_ ? next_ : kCapacity;
  std::int32_t n = 0;
  for (std::size_t i = next_ >= size_ ? end - size_ : kCapacity - (size_ - next_); i < end; ++i) n += f(ring_[i]);
  if (next_ < size_)
    for (std::size_t i = 0; i < next_; ++i) n += f(ring_[i]);
  return static_cast<std::size_t>(n);
}

void MedianFilter::add(float signal) {
  const std::size_t place = count_if([signal](float x) { return x <= signal; });
  std::memmove(order_.data() + place + 1, order_.data() + place, size_ - place);
  order_[place] = next_;
  ring_[next_++] = signal;
  ++size_;
}

// The oldest signal is the first of those that are equal to it.
void MedianFilter::drop_oldest() {
  const float oldest = ring_[static_cast<std::uint8_t>(next_ - size_)];
  const std::size_t place = count_if([oldest](float x) { return x < oldest; });
  --size_;
  std::memmove(order_.data() + place, order_.data() + place + 1, size_ - place);
}

float MedianFilter::tree() const {
  std::array<float, kCapacity> level;
  for (std::size_t i = 0; i < size_; ++i) level[i] = ring_[static_cast<std::uint8_t>(next_ - size_ + i)];
  for (std::size_t n = size_; n > 1;) {
    std::size_t out = 0;
    std::size_t i = 0;
    for (; i + 3 <= n; i += 3) level[out++] = median_of_three(level[i], level[i + 1], level[i + 2]);
    if (n - i == 2) level[out++] = std::min(level[i], level[i + 1]);
    if (n - i == 1) level[out++] = level[i];
    n = out;
  }
  return level[0];
}

}  // namespace weir::cc
