// What ranks tell each other at the end of an epoch: their totals, mail for each other's partitions, and the flows that
// have ended.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/archive.h"
#include "weir/engine/counters.h"
#include "weir/engine/parallel/ranks.h"
#include "weir/engine/partition/mailbox.h"
#include "weir/host/flow_view.h"
#include "weir/net/link/trace_records.h"

namespace weir::engine {

// Sums over partitions.
struct Totals {
  std::uint64_t failed = 0;    // partitions that have thrown an exception
  std::uint64_t pending = 0;   // partitions with events, and mailboxes that are not empty
  std::uint64_t watching = 0;  // ports that the PFC watchdog is watching, of ranks where nothing is pending
  std::uint64_t tasks_done = 0;
  Counters counters;

  void add(const Totals& o);
};

// What has been exchanged since the run began, by this rank.
struct ExchangeCounts {
  std::uint64_t epochs = 0;
  std::uint64_t packets = 0;  // sent to other ranks
  std::uint64_t packet_bytes = 0;
  std::uint64_t bytes = 0;   // sent, of all kinds
  std::int64_t wait_ns = 0;  // time in calls of Ranks: waiting until all ranks are there, and the transfer
};

// Thrown at all ranks when one has failed. It says which one and why.
class RankFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Exchange {
 public:
  Exchange(Ranks& ranks, std::uint32_t partitions);

  std::uint32_t rank_of(std::uint32_t partition) const { return rank_of_[partition]; }
  Share share() const { return share_of(ranks_.rank(), ranks_.size(), static_cast<std::uint32_t>(rank_of_.size())); }
  Ranks& ranks() { return ranks_; }
  const ExchangeCounts& counts() const { return counts_; }

  // The text of an exception.
  static std::string reason(const std::exception_ptr& failure);

  // The functions below are collective, except for post().

  Totals sum(const Totals& own);
  // Called before run(): mail of this rank's partition `from` for another rank's partition `to`, and flows that have
  // ended here. The mailbox is in use until run() has returned.
  void post(std::uint32_t from, std::uint32_t to, Mailbox& box);
  void post(const std::vector<host::FlowRecord>& finished);
  // Sends what was posted, puts the mail of other ranks into the mailboxes that `deliver` returns, and appends the
  // other ranks' finished flows to `finished`. `failure` is the text of this rank's exception, if own.failed is above
  // 0; throws RankFailure if it is at any rank.
  using Deliver = std::function<Mailbox&(std::uint32_t from, std::uint32_t to)>;
  Totals run(const Totals& own, std::string_view failure, const Deliver& deliver,
             std::vector<host::FlowRecord>& finished);
  // Appends the events of the other ranks, by rank, to those of this one.
  void add_others(std::vector<net::TraceRecords>& recorded);
  // Appends the bytes that each rank gives, by rank, to `a`; at rank 0 alone unless `everywhere` is true.
  void gather_into(Saver& a, std::string_view own, bool everywhere);

 private:
  // The head of a part of a message; a part is a mailbox, or flows that have ended. A message has the contents of its
  // parts first, one after the other, then their heads, and the number of heads last: so the packets of the first
  // mailbox need not be copied.
  struct Head {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t packets = 0;
    std::uint32_t expected = 0;
    std::uint32_t notices = 0;
    std::uint32_t flows = 0;  // above 0: the part is flows that have ended
    std::uint64_t packet_bytes = 0;
  };
  struct Outgoing {
    std::string bytes;
    std::vector<Head> heads;
    Mailbox* lender = nullptr;  // whose packets are the first `lent` characters
    std::size_t lent = 0;
  };

  Totals tell(const Totals& own);
  void take(std::string& message, const Deliver& deliver, std::vector<host::FlowRecord>& finished) const;

  Ranks& ranks_;
  std::vector<std::uint32_t> rank_of_;  // by partition
  std::vector<Outgoing> out_;           // by rank
  std::vector<std::string> in_;
  std::vector<std::uint64_t> own_words_;
  std::vector<std::uint64_t> all_words_;
  ExchangeCounts counts_;
};

}  // namespace weir::engine
