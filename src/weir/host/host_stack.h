// What a Linux host adds between a flow and its NIC: segments, the queue of those that TCP has handed down, and pacing.
//
//   | acknowledged | on the wire | handed down: waits below the socket | not yet handed down |
//                 una          nxt                                    end
//
// TCP hands down a segment when its window has room for it and not too much waits already (TCP small queues: Dumazet,
// "tcp: TCP Small Queues", 2012, and "TSQ can use a dynamic limit", 2013). For TCP it is under way from then on: it
// fills the window, and round-trip times of packets that are sent once count from then, as in Linux before 4.20 (later
// ones count from when pacing lets a packet go). The queueing discipline below releases one segment after another,
// paced or not, and holds them while On-Ramp says so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "weir/base/params.h"
#include "weir/base/units.h"

namespace weir::host {

enum class Pacing : std::uint8_t { none, fq };

struct StackParams {
  Pacing pacing = Pacing::none;
  Bytes segment{64'000};
  Bytes limit_output{262'144};
  double slow_start_ratio = 2;
  double avoidance_ratio = 1.2;
  Bytes request;
  std::int64_t outstanding = 1;

  static void describe(ParamList<StackParams>& p) {
    using S = StackParams;
    p.choice("pacing", &S::pacing, {"none", "fq"},
             "segments of algorithms that give no rate leave at once, or paced by window and round-trip time",
             "Linux tc-fq(8); sk_pacing_rate");
    p.bytes("segment", &S::segment,
            "largest segment that is handed down at once; a smaller one holds what is sent in a millisecond",
            "Linux gso_max_size, tcp_tso_autosize; On-Ramp 4.1 (64 KB), 7.2 (16 KB)", Bytes{1}, Bytes{1'000'000});
    p.bytes("limit_output", &S::limit_output,
            "no further segment is handed down while more than this waits below the socket, or more than two segments "
            "and what is sent in a millisecond",
            "Linux 4.15, tcp_limit_output_bytes", Bytes{1}, Bytes{1'000'000'000});
    p.number("slow_start_ratio", &S::slow_start_ratio, 0.01, 100,
             "fq: rate in slow start, in windows per round trip; it counts below half of the threshold",
             "Linux ip-sysctl, tcp_pacing_ss_ratio (200 %)")
        .only_with("pacing", {"fq"});
    p.number("avoidance_ratio", &S::avoidance_ratio, 0.01, 100, "fq: the same in congestion avoidance",
             "Linux ip-sysctl, tcp_pacing_ca_ratio (120 %)")
        .only_with("pacing", {"fq"});
    p.bytes(
        "request", &S::request,
        "a flow is the answers, of this size each, to requests of which each waits for an answer; in whole packets; "
        "0 = all of the flow is there from its start",
        "On-Ramp 6: reads of 16 to 128 KB", Bytes{0}, Bytes{1'000'000'000});
    p.integer("outstanding", &S::outstanding, 1, 1'000'000, "requests of a flow that are under way at once")
        .not_with("request", {"0 B"});
  }

  // The first byte that no request has asked for, if all bytes below `una` are acknowledged and full packets carry
  // `payload` bytes. A request arrives with the acknowledgement of the last byte of an answer.
  std::int64_t asked_for(std::int64_t una, std::int64_t payload) const {
    if (request.count == 0) return std::numeric_limits<std::int64_t>::max();
    const std::int64_t answer = (request.count + payload - 1) / payload * payload;
    return (una / answer + outstanding) * answer;
  }
};

// The queue of one flow. Sizes are payload bytes.
class HostStack {
 public:
  struct Room {
    std::int64_t window = 0;     // of the flow
    std::int64_t in_flight = 0;  // on the wire
    std::int64_t sent = 0;       // first byte that has not left
    std::int64_t acknowledged = 0;
    std::int64_t limit = 0;  // first byte that may not be sent
  };

  // Begins a new flow; the memory of the previous one is kept.
  void start(Bytes payload) {
    segments_.clear();
    head_ = 0;
    kept_ = 0;
    committed_ = 0;
    payload_ = payload.count;
    end_ = 0;
    begun_ = kNone;
    paced_ = departs_ = {};
    rate_ = 0;
    max_out_ = max_end_ = 0;
    window_limited_ = true;
    app_limited_ = false;
  }

  // Hands down as many segments as there is room for; with `one_beyond` first one packet, even if there is no room.
  // `rate` is the pacing rate, in bits per second of wire bytes.
  void fill(const StackParams& p, const Room& room, double rate, bool one_beyond, Time now) {
    rate_ = rate;
    forget(room.acknowledged);
    const std::int64_t goal = goal_of(p, rate);
    const auto millisecond = static_cast<std::int64_t>(rate / 8 / kPerMillisecond);
    const std::int64_t most = std::min(std::max(2 * goal, millisecond), p.limit_output.count);
    bool limited = false;
    app_limited_ = false;
    if (one_beyond && end_ < room.limit) {
      end_ += std::min(payload_, room.limit - end_);
      segments_.push_back({.end = end_, .handed_down = now});
    }
    for (;;) {
      const std::int64_t left = room.limit - end_;
      const std::int64_t free = room.window - room.in_flight - waiting(room.sent);
      if (left <= 0) {
        app_limited_ = free > 0;
        break;
      }
      const std::int64_t size = std::min({goal, whole_packets(std::min(free, goal)), left});
      // A segment that is smaller than it could be waits for further acknowledgements (tcp_tso_should_defer).
      if (free <= 0 || size < std::min({goal, room.window / 3, left})) {
        limited = true;
        break;
      }
      if (waiting(room.sent) > most) break;
      end_ += size;
      segments_.push_back({.end = end_, .handed_down = now});
    }
    note_limit(room, limited);
  }

  // Fixes the departure times of the segments that have been handed down since the last call, as TCP and weir-host's
  // mode bpf stamp them for the fair queue: paced from when they were handed down, not before `held`, and none before
  // the one in front of it. Calls tell(first byte, size, time) for each.
  template <class Tell>
  void commit(Time held, bool pace, std::int64_t header, const Tell& tell) {
    for (; committed_ < segments_.size(); ++committed_) {
      Segment& segment = segments_[committed_];
      const std::int64_t first = committed_ == 0 ? kept_ : segments_[committed_ - 1].end;
      const std::int64_t size = segment.end - first;
      paced_ = std::max(paced_, segment.handed_down);
      departs_ = segment.departs = std::max({departs_, held, paced_});
      if (pace && rate_ > 0 && segment.end > kUnpaced * payload_) {
        const std::int64_t wire = size + (size + payload_ - 1) / payload_ * header;
        paced_ += Time{static_cast<std::int64_t>(static_cast<double>(8 * wire) / rate_ * 1e12)};
      }
      tell(first, size, segment.departs);
    }
  }
  // The bytes from `sent` on of the segment that is leaving or leaves next; there must be one.
  Bytes rest_of_segment(std::int64_t sent) const { return {segments_[head_].end - sent}; }
  // When the next segment leaves, if that is fixed; if there is none, when the last one did.
  Time departs() const { return head_ < segments_.size() ? segments_[head_].departs : departs_; }

  std::int64_t end() const { return end_; }
  std::int64_t waiting(std::int64_t sent) const { return end_ - sent; }
  // Whether the window, and not what waits below the socket, limited the flow within the last window
  // (tcp_is_cwnd_limited).
  bool window_limited() const { return window_limited_; }
  // Whether there was nothing to hand down when the window had room.
  bool app_limited() const { return app_limited_; }
  // Since when the packet at `seq`, which left at `sent`, was under way for TCP: since its segment was handed down, or
  // since `sent` if the segment is forgotten or the packet has been sent again.
  Time under_way(std::int64_t seq, Time sent) const {
    if (seq < kept_) return sent;
    const auto behind = [](std::int64_t at, const Segment& s) { return at < s.end; };
    const auto found = std::upper_bound(segments_.begin(), segments_.end(), seq, behind);
    return found == segments_.end() || sent > found->left ? sent : found->handed_down;
  }

  // Notes that the next packet has left, with which all bytes below `sent` have. Returns when the one after it may
  // leave.
  Time on_send(std::int64_t sent, Bytes wire, bool pace, Time now) {
    if (begun_ == kNone) {
      begun_ = now;
      wire_ = 0;
    }
    wire_ += wire.count;
    if (sent < segments_[head_].end) return now;
    segments_[head_++].left = now;
    const Time begun = begun_;
    begun_ = kNone;
    if (!pace || rate_ <= 0 || sent <= kUnpaced * payload_) return now;
    return begun + Time{static_cast<std::int64_t>(static_cast<double>(8 * wire_) / rate_ * 1e12)};
  }

  template <class A>
  void archive(A& a) {
    a.values(segments_);
    a.value(head_);
    for (auto* figure : {&payload_, &end_, &kept_, &wire_, &max_out_, &max_end_}) a.value(*figure);
    a.value(rate_);
    a.value(committed_);
    for (Time* time : {&begun_, &paced_, &departs_}) a.value(*time);
    a.value(window_limited_);
    a.value(app_limited_);
  }

 private:
  static constexpr double kPerMillisecond = 1024;   // sk_pacing_shift: a second >> 10
  static constexpr std::int64_t kUnpaced = 10;      // packets of a flow that fq does not pace (initial_quantum)
  static constexpr std::int64_t kLeastSegment = 2;  // packets (tcp_min_tso_segs)
  static constexpr Time kNone = Time::max();

  struct Segment {
    std::int64_t end = 0;  // first byte behind it
    Time handed_down;
    Time left = kNone;  // when its last packet left
    Time departs;       // it leaves no sooner, once commit() has fixed that
  };

  std::int64_t whole_packets(std::int64_t bytes) const { return (bytes + payload_ - 1) / payload_ * payload_; }
  // The size of a segment (tcp_tso_autosize).
  std::int64_t goal_of(const StackParams& p, double rate) const {
    const auto paced = rate > 0 ? static_cast<std::int64_t>(rate / 8 / kPerMillisecond) : p.segment.count;
    const std::int64_t packets = std::max(std::min(paced, p.segment.count) / payload_, kLeastSegment);
    return packets * payload_;
  }
  // Forgets the segments that end at or before `una`, once they are more than half of those that are kept.
  void forget(std::int64_t una) {
    std::size_t done = 0;
    while (done < head_ && segments_[done].end <= una) ++done;
    if (2 * done <= segments_.size()) return;
    kept_ = segments_[done - 1].end;
    segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(done));
    head_ -= done;
    committed_ -= std::min(committed_, done);
  }
  void note_limit(const Room& room, bool limited) {
    const std::int64_t out = room.in_flight + waiting(room.sent);
    if (room.acknowledged < max_end_ && out <= max_out_ && !limited) return;
    max_out_ = out;
    max_end_ = end_;
    window_limited_ = limited;
  }

  std::vector<Segment> segments_;  // those that are not acknowledged, and some that are
  std::size_t head_ = 0;           // the first that has not left
  std::int64_t payload_ = 1;
  std::int64_t end_ = 0;
  std::int64_t kept_ = 0;      // the first byte of segments_
  Time begun_ = kNone;         // when the segment that is leaving began to leave
  std::int64_t wire_ = 0;      // bytes on the wire of that segment that have left
  std::size_t committed_ = 0;  // segments whose departure is fixed
  Time paced_;                 // pacing lets the next segment leave from here on
  Time departs_;               // the departure that was fixed last
  double rate_ = 0;
  std::int64_t max_out_ = 0;  // most under way within the window that ends at max_end_
  std::int64_t max_end_ = 0;
  bool window_limited_ = true;
  bool app_limited_ = false;
};

}  // namespace weir::host
