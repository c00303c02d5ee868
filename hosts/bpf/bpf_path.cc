#include "hosts/bpf/bpf_path.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <ctime>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "hosts/bpf/interface.h"
#include "hosts/bpf/object.h"
#include "hosts/bpf/program.h"

namespace weir::hosts {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t monotonic_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

std::vector<Interface> interfaces_of(Netlink& netlink, const PathSettings& settings) {
  if (settings.interfaces.empty()) throw Unavailable("no interface is named", "");
  std::vector<Interface> out;
  for (const std::string& name : settings.interfaces) {
    out.emplace_back(netlink, name);
    out.back().check_programs();
    if (settings.hold) out.back().check_departures();
  }
  return out;
}

class BpfPath : public DataPath {
 public:
  explicit BpfPath(const PathSettings& settings)
      : settings_(settings), interfaces_(interfaces_of(netlink_, settings)), program_(settings, bpf_object_on_ramp()) {
    decisions_.reset(ring_buffer__new(program_.map("decisions"), &BpfPath::take_decision, this, nullptr));
    if (!decisions_) throw Unavailable("the decisions of BPF programs cannot be read", "");
    try {
      for (Interface& one : interfaces_) {
        if (settings.hold) {
          one.limit_segments(settings.segment_limit, settings.before_change);
          one.keep_departures(settings.before_change);
        }
        one.attach(program_.egress(), program_.ingress(), settings.before_change);
      }
    } catch (...) {
      put_back_quietly();
      throw;
    }
  }

  ~BpfPath() override { put_back_quietly(); }

  void set_peer(const Peer& peer) override { program_.set_peer(peer); }
  void remove_peer(const Address& address) override { program_.remove_peer(address); }

  void beat(std::int64_t now) override {
    weir_state& state = program_.state();
    __atomic_store_n(&state.beat, static_cast<long long>(now), __ATOMIC_RELAXED);
    __atomic_store_n(&state.was_live, 1u, __ATOMIC_RELAXED);
  }

  Counters counters() override {
    const weir_counters c = program_.counters();
    return {.packets = c.packets,
            .bytes = c.bytes,
            .held = c.held,
            .held_ns = c.held_ns,
            .held_ns_max = c.held_ns_max,
            .clipped = c.clipped,
            .bypassed = c.bypassed,
            .notes = c.notes,
            .flows = flows().size(),
            .flows_refused = c.flows_refused,
            .or_acks_received = c.or_acks_received,
            .or_acks_accepted = c.or_acks_accepted,
            .pauses = c.pauses,
            .refused_form = c.refused_form,
            .refused_peer = c.refused_peer,
            .refused_tag = c.refused_tag,
            .refused_flow = c.refused_flow,
            .refused_note = c.refused_note + c.refused_busy,
            .refused_time = c.refused_time,
            .heartbeat_expiries = __atomic_load_n(&program_.state().expiries, __ATOMIC_RELAXED),
            .data_packets = c.data_packets,
            .data_bytes = c.data_bytes,
            .or_acks_sent = c.or_acks_sent,
            .or_ack_bytes = c.or_ack_bytes,
            .or_acks_limited = c.or_acks_limited,
            .processor_ns = program_.processor_ns(),
            .decisions_lost = c.decisions_lost};
  }

  std::vector<FlowView> flows() override { return program_.flows(monotonic_now()); }

  void trace(std::function<void(const Decision&)> tell) override {
    ring_buffer__consume(decisions_.get());  // those of before are told to whom they were for
    tell_ = std::move(tell);
    __atomic_store_n(&program_.state().tracing, tell_ ? 1u : 0u, __ATOMIC_RELAXED);
  }

  void poll(int timeout_ms) override {
    if (timeout_ms > 0) ring_buffer__poll(decisions_.get(), timeout_ms);
    ring_buffer__consume(decisions_.get());  // what is there without a wake-up
  }

  int descriptor() const override { return ring_buffer__epoll_fd(decisions_.get()); }

  std::string trouble() override {
    const std::int64_t now = monotonic_now();
    if (now - looked_ < kSecond) return trouble_;
    looked_ = now;
    trouble_.clear();
    const auto add = [this](const std::string& what) {
      if (!what.empty()) trouble_ += (trouble_.empty() ? "" : "; ") + what;
    };
    try {
      for (const Interface& one : interfaces_) add(one.trouble(settings_.hold));
    } catch (const std::system_error& error) {
      add(error.what());
    }
    if (__atomic_load_n(&program_.state().taken_away, __ATOMIC_RELAXED) != 0)
      add("another program at egress lets packets pass before ours sees them, so that no OR-ACKs are sent");
    return trouble_;
  }

  void detach() override {
    if (std::exchange(detached_, true)) return;
    std::string left;
    const auto undo = [&left](auto&& step) {
      try {
        step();
      } catch (const std::exception& error) {
        left += (left.empty() ? "" : "; ") + std::string(error.what());
      }
    };
    if (settings_.hold) {
      // As if no heartbeat came: nothing is held any more, what waits leaves, and what follows it leaves behind it.
      // Only then programs and qdiscs go.
      __atomic_store_n(&program_.state().was_live, 0u, __ATOMIC_RELAXED);
      __atomic_store_n(&program_.state().beat, static_cast<long long>(monotonic_now() - settings_.live_for - 1),
                       __ATOMIC_RELAXED);
      ::usleep(static_cast<useconds_t>(settings_.max_hold / 1'000));
    }
    for (Interface& one : interfaces_) undo([&one] { one.put_back_programs(); });
    for (Interface& one : interfaces_) undo([&one] { one.put_back(); });
    if (!left.empty()) throw std::runtime_error(left);
  }

 private:
  struct Free {
    void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
  };

  static int take_decision(void* self, void* data, std::size_t size) {
    const auto& path = *static_cast<BpfPath*>(self);
    if (!path.tell_ || size < sizeof(weir_decision)) return 0;
    const auto& d = *static_cast<const weir_decision*>(data);
    path.tell_({.kind = d.or_ack != 0 ? Decision::Kind::or_ack : Decision::Kind::sent,
                .time = d.time,
                .flow = flow_sent(d.key),
                .seq = d.seq,
                .length = d.length,
                .held_for = d.held_for,
                .delay = d.delay,
                .beta = static_cast<double>(d.beta) / WEIR_ON_RAMP_ONE,
                .pause = d.pause});
    return 0;
  }

  void put_back_quietly() noexcept {
    try {
      detach();
    } catch (const std::exception&) {
      // Whoever wants to know calls it.
    }
  }

  PathSettings settings_;
  Netlink netlink_;
  std::vector<Interface> interfaces_;
  Program program_;
  std::unique_ptr<ring_buffer, Free> decisions_;
  std::function<void(const Decision&)> tell_;
  std::string trouble_;
  std::int64_t looked_ = 0;
  bool detached_ = false;
};

}  // namespace

std::unique_ptr<DataPath> attach_bpf(const PathSettings& settings) {
  try {
    return std::make_unique<BpfPath>(settings);
  } catch (const std::system_error& error) {
    throw Unavailable(error.what(), "");
  }
}

std::optional<bool> bpf_is_translated() {
  const bpf_insn nothing[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K}, {.code = BPF_JMP | BPF_EXIT}};
  const int program =
      ::bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "weir_nothing", "GPL", nothing, std::size(nothing), nullptr);
  if (program < 0) return std::nullopt;
  bpf_prog_info info{};
  unsigned size = sizeof info;
  const int told = ::bpf_obj_get_info_by_fd(program, &info, &size);
  ::close(program);
  return told == 0 ? std::optional(info.jited_prog_len != 0) : std::nullopt;
}

void check_bpf(const PathSettings& settings) {
  try {
    Netlink netlink;
    interfaces_of(netlink, settings);
    const Program program(settings, bpf_object_on_ramp());
  } catch (const std::system_error& error) {
    throw Unavailable(error.what(), "");
  }
}

}  // namespace weir::hosts
