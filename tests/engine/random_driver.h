// A driver whose hosts do what a hash of all that they have been told says: they send, wake, post, and move.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "weir/traffic/driver.h"

namespace weir::engine {

class RandomDriver final : public traffic::Driver {
 public:
  struct Params {
    std::uint32_t hosts = 2;
    std::uint16_t profiles = 1;
    std::uint32_t messages = 30;  // of each host
    Bytes largest{100'000};
    bool posts = false;
    traffic::ScaleUp scale_up;  // by which hosts move; it has a group of 1 = they do not
    bool in_order = false;      // what is sent on a connection has to be received in order
    std::uint64_t seed = 1;
  };
  explicit RandomDriver(const Params& params);

  std::uint64_t tasks() const override { return std::uint64_t{params_.hosts} * params_.messages; }
  bool posts() const override { return params_.posts || params_.scale_up.is_there(); }
  std::optional<traffic::ScaleUp> scale_up() const override {
    return params_.scale_up.is_there() ? std::optional(params_.scale_up) : std::nullopt;
  }
  void begin(traffic::Desk& desk) override;
  void received(traffic::Desk& desk, const traffic::Message& message) override;
  void sent(traffic::Desk& desk, const traffic::Message& message) override;
  void woken(traffic::Desk& desk, std::uint32_t word) override;
  void posted(traffic::Desk& desk, std::uint32_t from, std::uint64_t word) override;
  void brought(traffic::Desk& desk, const traffic::Message& message) override;
  void carried(traffic::Desk& desk, const traffic::Message& message) override;
  std::unique_ptr<Driver> clone() const override { return std::make_unique<RandomDriver>(*this); }
  void archive(Saver& a, std::uint32_t host) override { hosts_[host].archive(a); }
  void archive(Loader& a, std::uint32_t host) override { hosts_[host].archive(a); }

  // How many messages hosts have received and sent, and bytes that they have received.
  std::uint64_t messages_received() const;
  std::uint64_t messages_sent() const;
  Bytes bytes_received() const;
  // How many messages they have moved, and how many of these have come.
  std::uint64_t messages_moved() const;
  std::uint64_t messages_brought() const;

 private:
  static constexpr std::uint32_t kPorts = 2;  // pairs of ports that messages to one host have
  struct OfHost {
    std::uint64_t told = 0;    // the hash
    std::uint32_t left = 0;    // messages that are not yet sent
    std::uint32_t active = 0;  // ... and not acknowledged
    std::uint32_t awake = 0;   // wakes that are to come
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
    std::uint64_t moved = 0;
    std::uint64_t brought = 0;
    Bytes bytes;
    std::vector<std::uint32_t> numbers;  // by connection: messages sent
    std::vector<std::uint32_t> known;    // by sender and connection: messages received
    std::vector<std::uint32_t> ended;    // by connection: messages acknowledged

    template <class A>
    void archive(A& a) {
      for (std::uint64_t* n : {&told, &received, &sent, &moved, &brought}) a.value(*n);
      for (std::uint32_t* n : {&left, &active, &awake}) a.value(*n);
      a.value(bytes);
      for (auto* all : {&numbers, &known, &ended}) a.values(*all);
    }
  };

  std::uint64_t draw(OfHost& own) const;
  std::uint32_t another(std::uint32_t host, OfHost& own) const;
  void hear(traffic::Desk& desk, std::uint64_t kind, std::uint64_t a, std::uint64_t b);
  void send(traffic::Desk& desk, OfHost& own);
  void move(traffic::Desk& desk, OfHost& own);
  std::size_t place(std::uint32_t other, std::uint16_t sport, std::uint16_t profile) const;
  // The word of a message tells which of its connection it is, and its size.
  void check(const traffic::Message& message, std::uint32_t& next) const;

  Params params_;
  std::vector<OfHost> hosts_;
};

}  // namespace weir::engine
