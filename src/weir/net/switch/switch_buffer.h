// The shared packet buffer of a switch, and priority flow control (IEEE 802.1Qbb).
//
// Each (ingress port, class) owns a reserve; beyond it, it draws on the shared part up to a
// dynamic threshold alpha * (free shared bytes); beyond that, in lossless mode, on its private
// headroom, and the upstream port is paused. It is resumed when headroom is empty and the shared
// share has fallen `resume_offset` below the threshold. In lossy mode nothing is paused and a
// packet is dropped when its egress queue exceeds egress_alpha * (free shared bytes). In per-port
// mode nothing is shared: each class of each egress port holds up to `size`.
// (HPCC section 5.1 and its public simulator; Choudhury and Hahne, ToN 1998.)
//
// Departures are reported late (port.h): the counters are upper bounds until all ports of the
// switch have been drained, and every decision they could change is preceded by that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/base/params.h"
#include "weir/base/prefetch.h"
#include "weir/net/link/packet.h"

namespace weir::net {

enum class BufferMode : std::uint8_t { lossless, lossy, per_port };

struct BufferParams {
  Bytes size{32'000'000};
  BufferMode mode = BufferMode::lossless;
  double pfc_alpha = 0.125;
  bool pfc_scale_alpha = true;
  Bytes reserve{4096};
  double headroom_delays = 3;
  Bytes resume_offset{3072};
  double egress_alpha = 1;

  static void describe(ParamList<BufferParams>& p) {
    p.bytes("size", &BufferParams::size, "shared buffer of each switch; per-port: of each egress port", "HPCC 5.1",
            Bytes{1}, Bytes{2'000'000'000});
    p.choice(
        "mode", &BufferParams::mode, {"lossless", "lossy", "per-port"},
        "lossless: PFC pauses upstream; lossy: egress queues of a shared buffer drop; per-port: so does each queue "
        "that is full by itself",
        "HPCC 5.1, 5.3; Spraying IV-A");
    p.number("pfc_alpha", &BufferParams::pfc_alpha, 1e-4, 64,
             "an ingress is paused above this share of the free shared bytes; 1/8 lets a lone queue take 1/9 = 11 % of "
             "the buffer",
             "HPCC 5.1")
        .only_with("mode", {"lossless"});
    p.flag("pfc_scale_alpha", &BufferParams::pfc_scale_alpha,
           "double pfc_alpha for each doubling of the link rate over the slowest host link", "HPCC public simulator")
        .only_with("mode", {"lossless"});
    p.bytes("reserve", &BufferParams::reserve, "private bytes of each ingress port and class", "HPCC public simulator",
            Bytes{0}, Bytes{1'000'000'000})
        .only_with("mode", {"lossless"});
    p.number(
         "headroom_delays", &BufferParams::headroom_delays, 0, 100,
         "lossless: private headroom of each ingress, in rate * propagation delay of its link; never less than what "
         "can arrive after a pause: 2 * rate * delay, three full packets and a pause frame",
         "HPCC public simulator")
        .only_with("mode", {"lossless"});
    p.bytes("resume_offset", &BufferParams::resume_offset, "resume when this far below the pause threshold",
            "HPCC public simulator", Bytes{0}, Bytes{1'000'000'000})
        .only_with("mode", {"lossless"});
    p.number("egress_alpha", &BufferParams::egress_alpha, 1e-4, 64,
             "lossy: drop above this share of the free shared bytes", "HPCC 5.3 footnote 6")
        .only_with("network.egress_drops");
  }
};

struct IngressPool {
  std::int64_t bytes = 0;     // in reserve and shared part
  std::int64_t headroom = 0;  // in headroom
  bool paused = false;        // the upstream port has been told to pause
};

// Constant for a port.
struct IngressLimits {
  std::int64_t headroom = 0;
  std::int64_t alpha_q16 = 0;  // pfc_alpha * 2^16
};

class SwitchBuffer {
 public:
  SwitchBuffer() = default;
  // Of so many data classes; those that are not in `pfc` are never paused, and drop as in lossy mode.
  SwitchBuffer(const BufferParams& params, const std::vector<IngressLimits>& limits, unsigned classes = 1,
               ClassSet pfc = 1)
      : egress_alpha_q16_(params.mode == BufferMode::per_port ? 65536 : q16(params.egress_alpha)),
        lines_shift_(classes == 1   ? 0
                     : classes <= 3 ? 1
                                    : 2),
        per_port_(params.mode == BufferMode::per_port),
        lossless_(params.mode == BufferMode::lossless ? static_cast<std::uint8_t>(pfc << 1 | 1) : std::uint8_t{0}),
        reserve_(params.mode == BufferMode::lossless ? params.reserve.count : 0),
        resume_offset_(params.resume_offset.count) {
    ingresses_.resize(limits.size() << lines_shift_);
    capacity_ = params.size.count;
    const int lossless_classes = __builtin_popcount(lossless_ >> 1);
    for (std::size_t i = 0; i < limits.size(); ++i) {
      ingresses_[i << lines_shift_].limits = limits[i];
      // The priority class carries nothing but acknowledgements: nothing is set aside for it.
      capacity_ -= classes * reserve_ + lossless_classes * limits[i].headroom;
    }
    safe_bytes_ = compute_safe_bytes(limits, classes);
    safe_bytes_now_ = safe_bytes_;
  }

  static std::int64_t q16(double alpha) { return static_cast<std::int64_t>(alpha * 65536 + 0.5); }

  // Bytes that are neither reserve nor headroom; negative if the buffer is too small for both.
  std::int64_t shared_capacity() const { return capacity_; }
  bool per_port() const { return per_port_; }
  // The largest packet of this class that it takes while it is empty, in bytes on the wire; what is larger can never
  // pass. Headroom holds any packet.
  std::int64_t largest(TrafficClass c) const {
    if (per_port_) return capacity_;
    if (lossless(c)) return std::numeric_limits<std::int64_t>::max();
    return (capacity_ * egress_alpha_q16_) >> 16;
  }
  // Archives what changes of the buffer, and not its limits, which another model may set otherwise.
  template <class A>
  void archive(A& a) {
    for (Ingress& ingress : ingresses_)
      for (IngressPool& pool : ingress.pools) {
        a.value(pool.bytes);
        a.value(pool.headroom);
        a.value(pool.paused);
      }
    a.value(used_);
    a.value(paused_count_);
    if constexpr (A::kLoads) {
      headroom_ = 0;
      for (const Ingress& ingress : ingresses_)
        for (const IngressPool& pool : ingress.pools) headroom_ += pool.headroom;
      update_safe_bytes();
    }
  }

  // Whether departures must be settled at their instants, as some upstream port is paused.
  bool needs_departure_events() const { return paused_count_ != 0; }

  // Whether a packet of `wire` bytes that finds `egress_queued` bytes at its egress is far below every threshold,
  // whatever its ingress and class. Nothing is paused then, either.
  bool below_thresholds(std::uint32_t egress_queued, std::uint32_t wire) const {
    return used_ + egress_queued + wire <= safe_bytes_now_;
  }

  // Whether below_thresholds() will hold for packets of so many bytes in all, in whatever order they come. Bytes in the
  // buffer count twice there, once as used and once where they are queued.
  bool stays_below_thresholds(std::int64_t bytes) const { return 2 * (used_ + bytes) <= safe_bytes_now_; }

  // Whether `wire` bytes from this ingress can be taken without looking closer: they are below every threshold even
  // with the counters as they are, and with reserves counted as shared.
  bool fits_upper_bound(std::uint32_t ingress, TrafficClass c, std::uint32_t egress_queued, std::uint32_t wire) const {
    const std::int64_t free = capacity_ - used_ - wire;
    if (lossless(c)) {
      const IngressPool& pool = this->pool(ingress, c);
      return pool.headroom == 0 && pool.bytes + wire - reserve_ < threshold(ingress, free);
    }
    return egress_queued + wire <= ((free * egress_alpha_q16_) >> 16);
  }

  // Adds a packet for which fits_upper_bound() or below_thresholds() holds.
  void add_unpaused(std::uint32_t ingress, TrafficClass c, std::uint32_t wire) {
    if (per_port_) return;
    pool_at(ingress, c).bytes += wire;
    used_ += wire;
  }

  // Whether there is room. The counters must be exact.
  bool admits(std::uint32_t ingress, TrafficClass c, std::uint32_t egress_queued, std::uint32_t wire) const {
    if (per_port_) return egress_queued + wire <= capacity_;
    const std::int64_t free = free_shared();
    if (lossless(c)) {
      const IngressPool& pool = this->pool(ingress, c);
      return pool.headroom + wire <= limits(ingress).headroom ||
             pool.bytes + wire - reserve_ <= threshold(ingress, free);
    }
    return egress_queued + wire <= ((free * egress_alpha_q16_) >> 16);
  }

  void take(std::uint32_t ingress, TrafficClass c, std::uint32_t wire) {
    if (per_port_) return;
    IngressPool& pool = pool_at(ingress, c);
    used_ += wire;
    if (lossless(c) && pool.bytes + wire > reserve_ &&
        pool.bytes + wire - reserve_ > threshold(ingress, free_shared())) {
      pool.headroom += wire;
      headroom_ += wire;
      update_safe_bytes();
    } else {
      pool.bytes += wire;
    }
  }

  void release(std::uint32_t ingress, TrafficClass c, std::uint32_t wire) {
    if (per_port_) return;
    IngressPool& pool = pool_at(ingress, c);
    used_ -= wire;
    if (pool.headroom == 0) [[likely]]
      pool.bytes -= wire;
    else
      release_headroom(pool, wire);
  }

  // Whether the upstream port must be paused, after take(). The counters must be exact. If so, marks the ingress as
  // paused.
  bool pause(std::uint32_t ingress, TrafficClass c) {
    IngressPool& pool = pool_at(ingress, c);
    if (!lossless(c) || c == TrafficClass::priority || pool.paused) return false;  // the priority class is never paused
    const std::int64_t s = share(pool);
    if (pool.headroom == 0 && (s == 0 || s < threshold(ingress, free_shared()))) return false;
    pool.paused = true;
    ++paused_count_;
    update_safe_bytes();
    return true;
  }

  // Whether the upstream port may go on, after release(). If so, marks the ingress as no longer paused.
  bool resume(std::uint32_t ingress, TrafficClass c) {
    IngressPool& pool = pool_at(ingress, c);
    if (!pool.paused || pool.headroom != 0) return false;
    const std::int64_t s = share(pool);
    if (s != 0 && s + resume_offset_ > threshold(ingress, free_shared())) return false;
    pool.paused = false;
    --paused_count_;
    update_safe_bytes();
    return true;
  }

  // The least share of the shared part that this ingress would have if only `kept` of its bytes stayed in the switch.
  std::int64_t share_kept(std::uint32_t ingress, TrafficClass c, std::int64_t kept) const {
    return std::max<std::int64_t>(0, std::min(pool(ingress, c).bytes, kept) - reserve_);
  }
  // Whether this ingress could be resumed if only `kept` of its bytes stayed in the switch and `free` bytes of the
  // shared part were free. Bytes that leave give back headroom first.
  bool may_resume(std::uint32_t ingress, TrafficClass c, std::int64_t kept, std::int64_t free) const {
    if (kept > pool(ingress, c).bytes) return false;
    const std::int64_t s = std::max<std::int64_t>(0, kept - reserve_);
    return s == 0 || s + resume_offset_ <= threshold(ingress, free);
  }

  // The link of this ingress is down: the upstream port has forgotten any pause.
  void forget_pauses(std::uint32_t ingress) {
    for (unsigned c = 0; c < 2u << lines_shift_; ++c) {
      IngressPool& pool = pool_at(ingress, static_cast<TrafficClass>(c));
      paused_count_ -= pool.paused;
      pool.paused = false;
    }
    update_safe_bytes();
  }

  // Shared bytes in use: what the ingresses hold beyond their reserves, headroom excepted.
  std::int64_t shared_used() const {
    std::int64_t sum = 0;
    for (const auto& ingress : ingresses_)
      for (const auto& pool : ingress.pools) sum += share(pool);
    return sum;
  }
  // Brings what is known of this ingress near, if anything is.
  void prefetch(std::uint32_t ingress) const {
    if (!per_port_) prefetch_line(&ingresses_[ingress << lines_shift_]);
  }
  const IngressPool& pool(std::uint32_t ingress, TrafficClass c) const {
    return ingresses_[line(ingress, c)].pools[static_cast<std::size_t>(c) & 1];
  }

  // The pause threshold of an ingress for so many free shared bytes.
  std::int64_t threshold(std::uint32_t ingress, std::int64_t free) const {
    return (free * limits(ingress).alpha_q16) >> 16;
  }

 private:
  // The state of an ingress port in two classes: one cache line, which is the only one of the port if there is one data
  // class. The first line of a port has its limits.
  struct alignas(64) Ingress {
    IngressLimits limits;
    IngressPool pools[2];
  };
  static_assert(sizeof(Ingress) == 64);

  std::size_t line(std::size_t ingress, TrafficClass c) const {
    return (ingress << lines_shift_) + (static_cast<std::size_t>(c) >> 1);
  }
  const IngressLimits& limits(std::size_t ingress) const { return ingresses_[ingress << lines_shift_].limits; }
  bool lossless(TrafficClass c) const { return (lossless_ >> static_cast<unsigned>(c) & 1) != 0; }

  IngressPool& pool_at(std::uint32_t ingress, TrafficClass c) {
    return ingresses_[line(ingress, c)].pools[static_cast<std::size_t>(c) & 1];
  }
  std::int64_t free_shared() const { return std::max<std::int64_t>(0, capacity_ - shared_used()); }
  std::int64_t share(const IngressPool& p) const { return std::max<std::int64_t>(0, p.bytes - reserve_); }

  [[gnu::noinline]] void release_headroom(IngressPool& pool, std::uint32_t wire) {
    const std::int64_t from_headroom = std::min<std::int64_t>(pool.headroom, wire);
    pool.headroom -= from_headroom;
    pool.bytes -= wire - from_headroom;
    headroom_ -= from_headroom;
    update_safe_bytes();
  }

  // The most bytes in the buffer, with the next packet and the queue at its egress, that are below every threshold.
  // With u bytes in the buffer, any pool has u at most, and is below alpha (capacity - u) if u < alpha / (1 + alpha)
  // capacity.
  std::int64_t compute_safe_bytes(const std::vector<IngressLimits>& limits, unsigned classes) const {
    if (per_port_) return capacity_;
    const auto below = [this](std::int64_t alpha_q16) {
      const double alpha = static_cast<double>(alpha_q16) / 65536;
      return static_cast<std::int64_t>(static_cast<double>(capacity_) * (alpha / (1 + alpha))) - 2;
    };
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    const unsigned all = (2u << classes) - 1;
    if (lossless_ != 0)
      for (const IngressLimits& l : limits) least = std::min(least, below(l.alpha_q16));
    if ((lossless_ & all) != all) least = std::min(least, below(egress_alpha_q16_));
    return least;
  }
  void update_safe_bytes() { safe_bytes_now_ = paused_count_ == 0 && headroom_ == 0 ? safe_bytes_ : -1; }

  // the line that every packet touches
  std::int64_t safe_bytes_now_ =
      -1;                  // below_thresholds(): so many bytes at most; -1 while something is paused or in headroom
  std::int64_t used_ = 0;  // all bytes held: shared part, reserves and headroom
  std::int64_t capacity_ = 0;
  std::int64_t egress_alpha_q16_ = 65536;
  LargePageVector<Ingress> ingresses_;
  std::uint32_t paused_count_ = 0;
  std::uint8_t lines_shift_ = 0;  // a port has 2^this lines
  bool per_port_ = false;
  std::uint8_t lossless_ = 3;  // traffic classes, one bit each

  // the rest
  std::int64_t safe_bytes_ = -1;
  std::int64_t headroom_ = 0;  // of all pools
  std::int64_t reserve_ = 0;
  std::int64_t resume_offset_ = 0;
};

}  // namespace weir::net
