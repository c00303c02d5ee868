// The driver of operations in which ranks send directly to each other and no message waits for another one's receipt:
// all messages at once, or `window` at a time. All-to-all with equal or given sizes, gather, and scatter.
//
// It also models an all-reduce of n GPUs by the switch of their server. Each GPU sums 1/n of the buffer, which the
// switch reads from all n GPUs and delivers as one message, and spreads the sum by one message, which the switch copies
// to all n. So n/n of the buffer for the sums and 1/n to be spread leave by each GPU's link, and the reverse enters by
// it: (n + 1) / n in each direction. As the parts overlap and all GPUs do the same, this takes as long as an exchange
// of as many bytes in which each GPU sends 1 / (n - 1) of them to each other GPU. In an all-gather by the switch each
// GPU sends its part once and receives all n; in a reduce-scatter it is the reverse. The busier direction carries n /
// n, and the model charges the other direction the same.
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
  using Sizes = std::shared_ptr<const std::vector<Bytes>>;  // by sender and receiver; null = not given

  // The number of ranks that a rank sends to, those ranks in order, and the size of its message to each; 0 = no
  // message.
  std::uint32_t peers(std::uint32_t rank) const;
  std::uint32_t to(std::uint32_t rank, std::uint32_t peer) const;
  Bytes amount(std::uint32_t rank, std::uint32_t peer, std::uint32_t chunk) const;
  void count_given();
  // Sends the next `count` messages of the rank.
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
  const std::shared_ptr<const PeerOrder> order_;  // null = the next rank first
  std::vector<std::uint64_t> next_;               // by rank: the next message, counted over all chunks and peers
  Bytes payload_;
  Bytes buffer_;
};

}  // namespace weir::traffic
