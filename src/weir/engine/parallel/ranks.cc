#include "weir/engine/parallel/ranks.h"

namespace weir::engine {
namespace {

std::vector<std::string> exchange(Ranks& ranks, std::string_view own, bool to_all) {
  const std::uint32_t n = ranks.size();
  const std::uint32_t self = ranks.rank();
  const std::vector<std::uint64_t> lengths = gather(ranks, own.size());
  std::vector<std::string_view> out(n);
  std::vector<std::string> in(n);
  for (std::uint32_t r = 0; r < n; ++r) {
    if (r == self) continue;
    if (to_all || r == 0) out[r] = own;
    if (to_all || self == 0) in[r].resize(lengths[r]);
  }
  ranks.all_to_all(out, in);
  if (!to_all && self != 0) return {};
  in[self] = own;
  return in;
}

}  // namespace

std::vector<std::uint64_t> gather(Ranks& ranks, std::uint64_t own) {
  std::vector<std::uint64_t> all(ranks.size());
  ranks.all_gather({&own, 1}, all);
  return all;
}

std::vector<std::string> gather(Ranks& ranks, std::string_view own) { return exchange(ranks, own, true); }

std::vector<std::string> gather_at_first(Ranks& ranks, std::string_view own) { return exchange(ranks, own, false); }

Share share_of(std::uint32_t rank, std::uint32_t ranks, std::uint32_t partitions) {
  const auto begin = [&](std::uint64_t r) { return static_cast<std::uint32_t>(r * partitions / ranks); };
  return {begin(rank), begin(rank + std::uint64_t{1})};
}

}  // namespace weir::engine
