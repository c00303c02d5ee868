// The driver of operations in which ranks send straight to each other what waits for nothing: all at once, or so many
// at a time. All-to-all, with equal and with given sizes, gather and scatter.
//
// An all-reduce of n GPUs by the switch of their server, too: each GPU adds up 1/n of the buffer, which the switch
// reads from all n and hands over as one, and spreads it by one message, of which the switch makes n. So by each GPU's
// way out go n/n of the buffer for the sums and 1/n to be spread, and by its way in as much the other way round, (n +
// 1) / n each. As the parts overlap and all GPUs do the same, that is what an exchange of as many bytes takes: each GPU
// sends each other one 1 / (n - 1) of it, and is done when it has got as much. In an all-gather by the switch each GPU
// sends its part once and gets all n, in a reduce-scatter it is the other way round: n / n by the busier way of its
// link, as which the other one counts too.
#pragma once

#include <memory>
#include <vector>

#include "weir/traffic/collective_driver.h"
#include "weir/traffic/peer_order.h"

namespace weir::traffic {

class DirectDriver final : public CollectiveDriver {
 public:
  DirectDriver(const Collective& collective, const Context& context, const CollectivePlan& plan, std::uint32_t group);
  std::unique_ptr<Driver> clone() const override { return std::make_unique<DirectDriver>(*this); }

 private:
  using Sizes = std::shared_ptr<const std::vector<Bytes>>;  // by sender and receiver, if they are given

  // To how many others a rank sends, to whom in which order, and how much of a chunk; 0 = no message.
  std::uint32_t peers(std::uint32_t rank) const;
  std::uint32_t to(std::uint32_t rank, std::uint32_t peer) const;
  Bytes amount(std::uint32_t rank, std::uint32_t peer, std::uint32_t chunk) const;
  void count_given();
  // Sends so many more.
  void send_next(Desk& desk, std::uint32_t rank, std::uint64_t count);

  void start(Desk& desk, std::uint32_t rank) override;
  void go_on(Desk&, std::uint32_t, std::uint64_t) override {}
  void gone(Desk& desk, std::uint32_t rank) override;
  std::uint64_t moves(std::uint32_t rank) const override;
  Bytes payload() const override { return payload_; }
  Bytes buffer() const override { return buffer_; }
  std::uint64_t longest() const override { return 1; }
  void each_peer(std::uint32_t rank, const VisitSend& visit) const override;
  void reset_rank(std::uint32_t rank) override { next_[rank] = 0; }
  void archive_rank(Saver& a, std::uint32_t rank) override { a.value(next_[rank]); }
  void archive_rank(Loader& a, std::uint32_t rank) override { a.value(next_[rank]); }

  const Sizes sizes_;
  const std::shared_ptr<const PeerOrder> order_;  // null = the next one first
  std::vector<std::uint64_t> next_;               // by rank: the next message, of those of all chunks to all peers
  Bytes payload_;
  Bytes buffer_;
};

}  // namespace weir::traffic
