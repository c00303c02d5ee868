// The interface of congestion-control algorithms, for authors of new ones in Weir or in a program that embeds it.
//
// An algorithm is a small, trivially copyable object, one per flow, that knows no simulator and does
// no I/O. The transport tells it what has happened, and it leaves its answer (window, pacing rate,
// next timer) in a Control, which the transport then reads by itself. Write a class like
//
//   class Hpcc {
//    public:
//     using Sprayed = HpccSprayed;                                      // optional: the class for flows that spray
//     struct Params { ...; static void describe(ParamList<Params>&); };
//     static constexpr About about{.name = "hpcc", .title = "HPCC", .source = "...", .needs = Needs::telemetry};
//     static std::span<const Preset> presets();                         // optional
//     static ReceiverRules receiver(const Params&);                     // optional
//     static void load(Params&, const DataFiles&);                      // optional; once, as a scenario is built
//     static DelayTarget delay_target(const Params&, const FlowFacts&, Time host_delay);  // optional
//     Hpcc(const Params&, const FlowFacts&, Control&);                  // flow start; Control has its defaults
//     void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);
//     void on_loss(const Params&, const FlowFacts&, const Loss&, Control&);   // optional
//     void on_cnp(const Params&, const FlowFacts&, Time now, Control&);       // optional; packet or flag on an ACK
//     void on_send(const Params&, const FlowFacts&, const Send&, Control&);   // optional
//     void on_timer(const Params&, const FlowFacts&, Time now, Control&);     // optional
//     void on_echo(const Params&, const FlowFacts&, const Echo&, Control&);   // optional; of a probe
//   };
//
// and add one line to src/weir/cc/catalogue.cc (docs/guides/own-algorithm.md), or call add_algorithm() in a program
// that embeds Weir. A member with the name of one of these functions and another signature does not compile.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/base/params.h"
#include "weir/base/random.h"
#include "weir/base/telemetry.h"
#include "weir/base/units.h"
#include "weir/cc/hooks.h"

namespace weir::cc {

// The feedback that an algorithm reads beyond what every acknowledgement carries (bytes, round-trip
// time, ECN echo). A simulation spends time on a kind of feedback only if some flow needs it.
enum class Needs : std::uint32_t {
  nothing = 0,
  telemetry = 1 << 0,      // per-hop INT records; packets are transport.int_bytes (42) longer
  delivery_rate = 1 << 1,  // samples of the delivery rate as in BBR
  ecn = 1 << 2,            // ECN marks: a scenario without network.ecn.enabled is refused
  decisions = 1 << 3,      // decisions of the program that embeds the run, see Control::ask
  order = 1 << 4,          // calls in the order of time across flows of different hosts, for state that they share; a
                           // run on several threads gives no such order
  one_path = 1 << 5,       // all packets of a flow on one path: a scenario that sprays them is refused
};
constexpr Needs operator|(Needs a, Needs b) {
  return static_cast<Needs>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr bool has(Needs set, Needs one) {
  return (static_cast<std::uint32_t>(set) & static_cast<std::uint32_t>(one)) != 0;
}

inline constexpr Bytes kNoWindow{std::numeric_limits<std::int64_t>::max()};
inline constexpr Time kNoTimer = Time::max();

// Facts about a flow that hold for its whole life.
struct FlowFacts {
  Rate line_rate;    // of the sending NIC
  Rate path_rate;    // of the slowest link of the path
  Time base_rtt;     // unloaded round trip of a full packet and its acknowledgement on this path
  Time network_rtt;  // the largest base_rtt between any two hosts
  Bytes payload;     // of a full packet
  Bytes wire;        // of a full packet, with all headers
  Bytes size;        // payload of the flow
  Time start;
  int switch_hops = 0;    // switches on the path
  bool trimming = false;  // switches cut packets to their headers instead of dropping them
  IntFormat telemetry;    // how to read telemetry counters
  RandomStream random;    // the flow's own stream; the algorithm counts its own draws
};

// An acknowledgement has arrived that does not complete the flow. endpoint_delay is 0 unless the scenario has
// [host] receive_delay or receive_jitter. Under a Linux host's stack, what TCP has handed down to it counts as sent.
struct Ack {
  Time now;
  Time rtt;             // from the transmit time of the packet that triggered it; under a stack, from its hand-down
  Time sent_at;         // transmit time of that packet
  Time endpoint_delay;  // part of rtt spent in the receiving host
  Bytes seq;            // all bytes below are acknowledged
  Bytes acked;          // newly acknowledged by this one, in order or selectively; 0 for a duplicate
  Bytes packet_seq;     // first byte of the packet that triggered it
  Bytes snd_nxt;        // next byte to be sent
  Bytes in_flight;      // sent, not acknowledged, and not known to be lost before this acknowledgement
  Bytes delivered;      // sample of the delivery rate: bytes delivered within delivery_span
  Time delivery_span;   // span of the sample; 0 = there is none; only with Needs::delivery_rate
  bool delivery_app_limited = false;
  bool ecn = false;                      // the packet was marked (congestion experienced)
  bool app_limited = false;              // nothing is waiting to be sent
  std::uint8_t hops = 0;                 // telemetry records present
  std::uint32_t entropy = 0;             // path selector of the packet that triggered it
  const Telemetry* telemetry = nullptr;  // null unless Needs::telemetry
  bool window_limited = true;            // false: the host's queue, not the window, has limited the last window of data
};

// The transport has concluded that data was lost, trimmed or reordered beyond tolerance. With go-back-N, `kind` is nack
// or timeout. With selective recovery it is timeout; trim, for each packet whose payload was cut off; or sack_hole,
// once for all losses among what had been sent when the first of them was found (unless Control::every_loss).
struct Loss {
  enum class Kind : std::uint8_t { nack, sack_hole, trim, timeout };
  Kind kind = Kind::nack;
  Time now;
  Bytes seq;        // first missing byte
  Bytes lost;       // bytes that will be sent again, as far as known
  Bytes in_a_row;   // the longest run of adjacent lost packets, as far as known; 0 = not known
  Bytes snd_nxt;    // next byte to be sent, before a rewind
  Bytes in_flight;  // before these losses were found
  std::uint32_t entropy = 0;
};

// A data packet is leaving the NIC.
struct Send {
  Time now;
  Bytes seq;
  Bytes wire;
  Bytes in_flight;  // including this packet
  bool retransmission = false;
  bool app_limited = false;  // no more data is waiting
};

// A probe has come back (Control::probe). It waits in queues as data does, and is as long as the shortest frame.
struct Echo {
  Time now;
  Time rtt;      // from its transmit time
  Time sent_at;  // transmit time
};

// The algorithm's answer, read by the transport after every call.
struct Control {
  Bytes window = kNoWindow;  // send while in_flight < window
  Rate rate{};               // pacing rate of wire bytes; 0 = not paced
  Time timer = kNoTimer;     // call on_timer at this time; kNoTimer = none
  // true: a change of rate also stretches or shortens the pacing gap that is already running, as
  // HPCC does it; false: it takes effect from the next gap on.
  bool repace = false;
  // With selective recovery: report all losses as they are found, also further ones of an episode already reported.
  bool every_loss = false;
  // Set to ask the program that embeds the run for a decision (host/decisions.h); the transport clears it when it asks.
  // Only for algorithms with Needs::decisions, and not in on_send().
  bool ask = false;
  // The window is below half of the threshold of slow start: hosts that pace by windows then take a larger rate.
  bool slow_start = false;
  // Set to have a probe sent behind the next data packet, or behind the burst in which that leaves; the transport
  // clears it when the probe leaves. A flow that has nothing more to send sends none.
  bool probe = false;
  // How many packets of this flow the NIC sends back to back in one turn, as long as they may be sent; the pacing gap
  // after them is that of all of them. It has no effect under a Linux host's stack.
  std::uint8_t burst = 1;
};

// What the algorithm requires of a flow's receiver.
struct ReceiverRules {
  bool cnp = false;         // answer marked packets with congestion notification packets
  bool cnp_packet = false;  // send CNPs as packets of their own, else as a flag on the acknowledgement
  Time cnp_interval{};      // at most one CNP per flow in this time
};

// The delay above which an algorithm that measures delays slows down. A flow whose path has a longer delay even while
// it is empty slows down without any congestion.
struct DelayTarget {
  Time delay;                // the delay that the flow measures while no packet waits anywhere
  Time target;               // the largest delay at which it does not slow down (see `below`)
  std::string_view setting;  // the parameter that raises the target, or whatever else does
  Time least;                // the least value of `setting` that works
  bool below = false;        // true: the delay must be below the target; false: it may also be equal to it

  bool is_met() const { return below ? delay < target : delay <= target; }
};

struct About {
  std::string_view name;   // how scenario files name it
  std::string_view title;  // how its paper writes it
  std::string_view source;
  Needs needs = Needs::nothing;
};

struct PresetValue {
  std::string_view key;
  std::string_view value;
};
// Joins the values of a preset and those that another preset adds to them.
template <std::size_t N, std::size_t M>
constexpr std::array<PresetValue, N + M> with(const std::array<PresetValue, N>& base, const PresetValue (&more)[M]) {
  std::array<PresetValue, N + M> out{};
  for (std::size_t i = 0; i < N; ++i) out[i] = base[i];
  for (std::size_t i = 0; i < M; ++i) out[N + i] = more[i];
  return out;
}
// A named set of parameter values, for algorithms that several papers configure differently.
struct Preset {
  std::string_view name;
  std::string_view source;
  std::span<const PresetValue> values;
};

// A data file that a parameter names (Param::names_file). DataFiles has all of them, by the names of the parameters. An
// algorithm's load() makes of them what its flows read, in fields that no parameter describes. It throws InputError,
// about a parameter (InputError::key) or a line of a file (`path`).
struct DataFile {
  std::string path;
  std::string text;
};
using DataFiles = std::map<std::string, DataFile, std::less<>>;

// One entry of the catalogue: an algorithm class without its type, as describe() makes it. `state` is raw
// storage of state_size bytes, which the transport owns and may copy as bytes.
struct Algorithm {
  About about;
  std::span<const Preset> presets;
  const ParamSet* params = nullptr;
  std::size_t state_size = 0;
  ReceiverRules (*receiver)(const void* params) = nullptr;
  void (*start)(void* state, const void* params, const FlowFacts&, Control&) = nullptr;
  void (*on_ack)(void* state, const void* params, const FlowFacts&, const Ack&, Control&) = nullptr;
  // These five are null if the class has no such function.
  void (*on_loss)(void* state, const void* params, const FlowFacts&, const Loss&, Control&) = nullptr;
  void (*on_cnp)(void* state, const void* params, const FlowFacts&, Time, Control&) = nullptr;
  void (*on_send)(void* state, const void* params, const FlowFacts&, const Send&, Control&) = nullptr;
  void (*on_timer)(void* state, const void* params, const FlowFacts&, Time, Control&) = nullptr;
  void (*on_echo)(void* state, const void* params, const FlowFacts&, const Echo&, Control&) = nullptr;
  // Loads params: returns them with what the algorithm makes of the data files that they name, as a copy, or returns
  // the same object if the class has no load(). The functions above, receiver() among them, take loaded params.
  std::shared_ptr<const void> (*load)(std::shared_ptr<const void> params, const DataFiles&) = nullptr;
  // The algorithm of flows that spray their packets, with the same parameters; null: they have this one, too.
  const Algorithm* sprayed = nullptr;
  // The delay target for loaded params. `host_delay` is the time by which the receiving host delays answers; it is part
  // of a round trip, but not of FlowFacts::base_rtt. Null if the class has no such function.
  DelayTarget (*delay_target)(const void* params, const FlowFacts&, Time host_delay) = nullptr;
};

// Whether A has on_ack(), and each member with the name of a function at the head of this file has its signature.
template <class A>
concept HooksFit = hooks::Fits<A, hooks::OnAck> && hooks::Agrees<A, hooks::OnLoss> && hooks::Agrees<A, hooks::OnCnp> &&
    hooks::Agrees<A, hooks::OnSend> && hooks::Agrees<A, hooks::OnTimer> && hooks::Agrees<A, hooks::OnEcho> &&
    hooks::ReceiverAgrees<A> && hooks::LoadAgrees<A> && hooks::PresetsAgree<A> && hooks::DelayTargetAgrees<A>;

// Makes the catalogue entry of class A.
template <class A>
Algorithm describe() {
  static_assert(std::is_trivially_copyable_v<A>, "algorithm state must be copyable as bytes");
  static_assert(alignof(A) <= alignof(std::max_align_t));
  static_assert(HooksFit<A>, "a function has the name of a hook, but not its signature; see the head of algorithm.h");
  using P = typename A::Params;
  Algorithm a{.about = A::about, .presets = {}, .params = &params_of<P>(), .state_size = sizeof(A)};
  if constexpr (hooks::Names<A, hooks::Presets>) a.presets = A::presets();
  a.receiver = [](const void* p) -> ReceiverRules {
    if constexpr (hooks::Names<A, hooks::Receiver>) return A::receiver(*static_cast<const P*>(p));
    (void)p;
    return {};
  };
  a.load = [](std::shared_ptr<const void> p, const DataFiles& files) -> std::shared_ptr<const void> {
    if constexpr (hooks::Names<A, hooks::Load>) {
      const auto loaded = std::make_shared<P>(*static_cast<const P*>(p.get()));
      A::load(*loaded, files);
      return loaded;
    }
    (void)files;
    return p;
  };
  if constexpr (hooks::Names<A, hooks::DelayTargets>)
    a.delay_target = [](const void* p, const FlowFacts& f, Time host_delay) {
      return A::delay_target(*static_cast<const P*>(p), f, host_delay);
    };
  a.start = [](void* s, const void* p, const FlowFacts& f, Control& c) { new (s) A(*static_cast<const P*>(p), f, c); };
  a.on_ack = hooks::erased<hooks::OnAck, A>();
  a.on_loss = hooks::erased<hooks::OnLoss, A>();
  a.on_cnp = hooks::erased<hooks::OnCnp, A>();
  a.on_send = hooks::erased<hooks::OnSend, A>();
  a.on_timer = hooks::erased<hooks::OnTimer, A>();
  a.on_echo = hooks::erased<hooks::OnEcho, A>();
  if constexpr (requires { typename A::Sprayed; }) {
    static_assert(std::is_same_v<typename A::Sprayed::Params, P>);
    static const Algorithm sprayed = describe<typename A::Sprayed>();
    a.sprayed = &sprayed;
  }
  return a;
}

// All algorithms, sorted by name. Entries stay in place when others are added.
const std::list<Algorithm>& catalogue();
// Adds an algorithm of a program that embeds Weir. Call it before reading a scenario that names the algorithm, and not
// while another thread reads a scenario. What `algorithm` points to must live until the program ends. Throws InputError
// if the name is taken or not valid (check_new_name).
const Algorithm& add_algorithm(const Algorithm& algorithm);
// The entry of this name, or null.
const Algorithm* find_algorithm(std::string_view name);

}  // namespace weir::cc
