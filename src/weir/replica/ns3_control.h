// Congestion control as the simulator of HPCC's authors has it (rdma-hw.cc): rates are whole bits per second, and
// windows follow from rates.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "weir/engine/model/model.h"
#include "weir/replica/event_queue.h"
#include "weir/replica/ns3_params.h"
#include "weir/replica/ns3_telemetry.h"

namespace weir::replica {

// By whole nanoseconds.
using Ns3Events = EventQueue<0, 1u << 13>;

enum EventKind : std::uint32_t {
  kTransmitted,  // of a port: it is free again
  kArrival,      // of a packet behind a port
  kInject,       // the next flows are read
  kInstall,      // of a flow
  kStart,        // of a flow
  kWake,         // of a host's NIC
  kLinkDown,
  kUpdateAlpha,  // of a flow; this and the following are DCQCN's timers
  kDecreaseRate,
  kIncreaseRate,
};

struct SenderFacts {
  std::int64_t line_rate = 0;  // bit/s
  std::int64_t base_rtt = 0;   // ns
  std::uint64_t window = 0;    // bytes; the bandwidth-delay product even where there is no window
};

struct SenderAck {
  std::int64_t now = 0;   // ns
  std::int64_t rtt = 0;   // ns, since the packet that triggered it left the host's queue
  std::uint64_t seq = 0;  // all bytes below have arrived
  std::uint64_t snd_nxt = 0;
  std::int64_t rate = 0;  // the flow's, bit/s
  bool marked = false;
  std::span<const Hop> hops;
};

// One for all flows of a run, which are numbered from 0. Flows begin at line rate.
class Control {
 public:
  using NewRate = std::optional<std::int64_t>;  // bit/s; nothing: it stays
  using Window = Ns3Params::Window;

  // `int_bytes`: what packets and acknowledgements carry for it.
  Control(Window window, std::int64_t int_bytes) : window_(window), int_bytes_(int_bytes) {}
  virtual ~Control() = default;

  // Flows start in the order of their numbers.
  virtual void start(const SenderFacts& facts) = 0;
  virtual NewRate on_ack(std::uint32_t flow, const SenderAck& ack) = 0;
  virtual NewRate on_timer(const Event&, std::int64_t /*rate*/) { return {}; }
  // The last byte has been acknowledged; on_ack still follows.
  virtual void finish(std::uint32_t /*flow*/) {}
  // Does a new rate also stretch or shorten the gap that is running already?
  virtual bool moves_gap() const { return false; }

  Window window() const { return window_; }
  std::int64_t int_bytes() const { return int_bytes_; }

 private:
  const Window window_;
  const std::int64_t int_bytes_;
};

// For the first profile of the model, whose algorithm is one of hpcc, dcqcn, timely and dctcp.
std::unique_ptr<Control> make_control(const engine::Model& model, const Ns3Params& params, Ns3Events& events);

std::unique_ptr<Control> make_hpcc(const engine::Model& model, const Ns3Params& params);
std::unique_ptr<Control> make_dcqcn(const engine::Model& model, Ns3Events& events);
std::unique_ptr<Control> make_timely(const engine::Model& model);
std::unique_ptr<Control> make_dctcp(const engine::Model& model, const Ns3Params& params);

// The algorithm's parameters.
template <class Algorithm>
const typename Algorithm::Params& params_as(const engine::Model& model) {
  return *static_cast<const typename Algorithm::Params*>(model.profiles.front().params.get());
}

// Rates lose their fraction of a bit per second.
inline std::int64_t times(std::int64_t rate, double factor) {
  return static_cast<std::int64_t>(static_cast<double>(rate) * factor);
}

}  // namespace weir::replica
