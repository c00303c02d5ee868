// Ranks: processes that simulate one network together, each some of its partitions. They run the same scenario in
// lockstep, and communicate by this interface.
//
// Every function but rank() and size() is collective: all ranks call the same ones in the same order, each from the
// thread that calls Engine::advance().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::engine {

class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  virtual ~Ranks() = default;

  virtual std::uint32_t rank() const = 0;  // from 0
  virtual std::uint32_t size() const = 0;

  // Each rank gives the same number of words; `all` gets the words of all, by rank, so it is size() times as long.
  virtual void all_gather(std::span<const std::uint64_t> own, std::span<std::uint64_t> all) = 0;
  // Sends out[r] to rank r, and fills in[r] with what rank r sends; in[r] must have that length already. The elements
  // for the rank itself are ignored.
  virtual void all_to_all(std::span<const std::string_view> out, std::span<std::string> in) = 0;
  // Not collective: ends the processes of all ranks, with this exit status.
  [[noreturn]] virtual void abort(int status) = 0;
};

// Gathers a word of each rank, by rank.
std::vector<std::uint64_t> gather(Ranks& ranks, std::uint64_t own);
// Gathers bytes of each rank, by rank.
std::vector<std::string> gather(Ranks& ranks, std::string_view own);
// The same, but only rank 0 gets the bytes; the others get an empty vector.
std::vector<std::string> gather_at_first(Ranks& ranks, std::string_view own);

// Partitions [first, end), which a rank simulates.
struct Share {
  std::uint32_t first = 0;
  std::uint32_t end = 0;

  std::uint32_t count() const { return end - first; }
  bool has(std::uint32_t partition) const { return partition >= first && partition < end; }
};
// The share of a rank. Partitions are dealt out evenly, in order; if there are fewer than ranks, some ranks have none.
Share share_of(std::uint32_t rank, std::uint32_t ranks, std::uint32_t partitions);

}  // namespace weir::engine
