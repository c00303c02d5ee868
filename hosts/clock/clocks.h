// All clocks that we know of: our own measurements and those that other hosts report, reconciled.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hosts/clock/graph.h"
#include "hosts/clock/wire.h"
#include "hosts/path/data_path.h"

namespace weir::hosts::clock {

// The latest report of each host. Their number is bounded.
class Reports {
 public:
  enum class News : std::uint8_t {
    none,  // it is not newer than what is known
    less,  // an edge that was known is missing
    more,  // anything else
  };
  // `now` is when it came, CLOCK_MONOTONIC.
  News take(const Report& report, std::int64_t now);
  // Forgets those that came too long ago.
  void expire(std::int64_t now);
  void forget(const Address& origin) { latest_.erase(origin); }
  // That of one host, nullptr: there is none.
  const Report* find(const Address& origin) const;

  // Calls `look` with each report.
  template <typename Look>
  void each(const Look& look) const {
    for (const auto& [origin, entry] : latest_) look(entry.report);
  }

 private:
  struct Entry {
    Report report;
    std::int64_t came = 0;
  };
  std::map<Address, Entry> latest_;
};

// Our measurement of one host.
struct OwnEdge {
  Address to;
  Estimate measured;
};

class Clocks {
 public:
  // Reconciles what is known at our time `at`. `self` are our addresses.
  void solve(std::span<const OwnEdge> own, const Reports& reports, std::span<const Address> self, std::int64_t at);

  // A host's clock. Nothing if no measurements lead to it.
  std::optional<Estimate> find(const Address& host) const;

  const Solution& solution() const { return solution_; }

 private:
  std::map<Address, std::size_t> places_;  // in the solution
  Solution solution_;
};

}  // namespace weir::hosts::clock
