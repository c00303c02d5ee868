// Processes that simulate one network together, each some of its partitions: its ranks. They run the same scenario in
// lockstep, and what one has to tell the others goes through here.
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

  // Each rank gives as many words; `all` gets those of all, by rank, size() times as many.
  virtual void all_gather(std::span<const std::uint64_t> own, std::span<std::uint64_t> all) = 0;
  // Rank r gets out[r], and in[r] is filled with what rank r sends; in[r] must have the length of that already. What is
  // for the rank itself is left alone.
  virtual void all_to_all(std::span<const std::string_view> out, std::span<std::string> in) = 0;
  // Not collective: ends the processes of all ranks, with this exit status.
  [[noreturn]] virtual void abort(int status) = 0;
};

// A word of each rank, by rank.
std::vector<std::uint64_t> gather(Ranks& ranks, std::uint64_t own);
// Bytes of each rank, by rank.
std::vector<std::string> gather(Ranks& ranks, std::string_view own);
// The same for rank 0 alone; the others get nothing.
std::vector<std::string> gather_at_first(Ranks& ranks, std::string_view own);

// Partitions [first, end), which a rank simulates.
struct Share {
  std::uint32_t first = 0;
  std::uint32_t end = 0;

  std::uint32_t count() const { return end - first; }
  bool has(std::uint32_t partition) const { return partition >= first && partition < end; }
};
// They are dealt out evenly, in order. Where there are fewer partitions than ranks, some have none.
Share share_of(std::uint32_t rank, std::uint32_t ranks, std::uint32_t partitions);

}  // namespace weir::engine
