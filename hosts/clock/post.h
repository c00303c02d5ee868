// Datagrams, with the times of our clock at which they left and came. Tests have a network of their own behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hosts/clock/hardware.h"
#include "hosts/clock/realtime.h"
#include "hosts/clock/test_clock.h"
#include "hosts/clock/udp.h"
#include "hosts/clock/wire.h"
#include "hosts/path/address.h"

namespace weir::hosts::clock {

struct Arrival {
  Address from;
  Address to;
  std::span<const std::uint8_t> bytes;
  std::optional<std::int64_t> when;  // by our clock; nothing: the kernel did not say, or it cannot be told
};

class Post {
 public:
  struct Counters {
    std::uint64_t bytes_sent = 0;  // of Ethernet frames
    std::uint64_t bytes_received = 0;
    std::uint64_t sent = 0;  // datagrams
    std::uint64_t received = 0;
    std::uint64_t unstamped = 0;
    std::uint64_t time_sets = 0;
  };
  using Left = std::function<void(std::span<const std::uint8_t> bytes, std::int64_t when)>;
  using Came = std::function<void(const Arrival&)>;

  // Families of addresses.
  struct Families {
    bool v4 = false;
    bool v6 = false;
  };

  virtual ~Post() = default;

  // Datagrams to and from addresses of these families can be sent and received from now on, besides those of before;
  // IPv6 only where the kernel has it. Throws std::system_error if the port is in use.
  virtual void open(Families families) = 0;

  // Our clock at CLOCK_MONOTONIC.
  virtual std::int64_t ours(std::int64_t monotonic) const = 0;

  // Takes a datagram; flush() sends what was taken, in order, and with little in between. The kernel is asked for a
  // stamp if `stamped`.
  virtual void write(const Address& from, const Address& to, std::span<const std::uint8_t> bytes, bool stamped) = 0;
  virtual void flush() = 0;

  // Hands over what has left (stamped; behind some headers) and come since it was last called, up to a limit; what the
  // two get is valid until they return. `now` is CLOCK_MONOTONIC. False if somebody set the time in the midst of it:
  // then times that were handed over may be wrong.
  virtual bool drain(std::int64_t now, const Left& left, const Came& came) = 0;

  virtual void set_test_clock(const TestClock& test) = 0;

  // Our time of day minus CLOCK_MONOTONIC; nothing at a moment in which somebody sets it.
  virtual std::optional<TimeOfDay> time_of_day() const = 0;

  // Times are within this of those that the stamps mean, ns.
  virtual std::int64_t error() const = 0;
  virtual bool has_hardware_stamps() const = 0;
  virtual const Counters& counters() const = 0;
};

// That of this host's network.
class SocketPost : public Post {
 public:
  // `hardware`: the clock by which the interface stamps; nothing: the kernel's stamps.
  SocketPost(std::uint16_t port, std::unique_ptr<HardwareClock> hardware, const TestClock& test)
      : port_(port), test_(test), hardware_(std::move(hardware)) {}

  void open(Families families) override;
  std::int64_t ours(std::int64_t monotonic) const override { return test_.read(monotonic); }
  void write(const Address& from, const Address& to, std::span<const std::uint8_t> bytes, bool stamped) override;
  void flush() override;
  bool drain(std::int64_t now, const Left& left, const Came& came) override;
  void set_test_clock(const TestClock& test) override { test_ = test; }
  std::optional<TimeOfDay> time_of_day() const override;
  std::int64_t error() const override { return hardware_ ? hardware_->error() : realtime_.error() + kKernelStamps; }
  bool has_hardware_stamps() const override { return hardware_ != nullptr; }
  const Counters& counters() const override { return counters_; }

 private:
  // A processor that wakes up delays the kernel's stamps by some hundred ns, at one of two hosts more than at the
  // other.
  static constexpr std::int64_t kKernelStamps = 500;

  std::optional<std::int64_t> when(const Stamp& stamp);

  void open(bool v6);

  std::uint16_t port_;
  TestClock test_;
  std::unique_ptr<HardwareClock> hardware_;
  Realtime realtime_;
  bool trusted_ = true;  // stamps can be told
  std::vector<std::unique_ptr<UdpSocket>> sockets_;
  struct Letter {
    Address from;
    Address to;
    std::size_t begin;
    std::size_t size;
    bool stamped;
  };
  std::vector<Letter> letters_;
  std::vector<std::uint8_t> text_;
  Counters counters_;
};

}  // namespace weir::hosts::clock
