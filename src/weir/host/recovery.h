// How a flow finds out what was lost, and what it sends again.
#pragma once

#include <cstdint>

#include "weir/base/params.h"
#include "weir/base/units.h"

namespace weir::host {

enum class RecoveryKind : std::uint8_t {
  go_back_n,  // the receiver drops what is out of order; a NACK or a timeout sends all again from the gap on
  irn,        // Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018
  sack,       // RFC 2018, RFC 6675, RFC 6298
};

struct RecoveryParams {
  RecoveryKind kind = RecoveryKind::go_back_n;
  double window = 1;
  Time rto_low{100'000'000};
  Time rto_high{320'000'000};
  std::int64_t rto_low_packets = 3;
  std::int64_t duplicates = 3;
  Time reordering;

  static void describe(ParamList<RecoveryParams>& p) {
    using R = RecoveryParams;
    p.choice("kind", &R::kind, {"go-back-n", "irn", "sack"},
             "all again from the first gap on, or only what is missing: as in IRN, or as TCP with SACK",
             "SIGCOMM'18 IRN 3.1; RFC 6675");
    p.number("window", &R::window, 0, 1e6,
             "irn: how far data may be sent beyond the first missing byte, in bandwidth-delay products of the longest "
             "path; at least one packet",
             "IRN 3.2")
        .only_with("kind", {"irn"});
    p.time("rto_low", &R::rto_low, "irn: timeout with few packets in flight", "IRN 3.1", Time{1'000'000},
           Time{1'000'000'000'000})
        .only_with("kind", {"irn"});
    p.time("rto_high", &R::rto_high, "irn: timeout otherwise", "IRN 3.1", Time{1'000'000}, Time{1'000'000'000'000})
        .only_with("kind", {"irn"});
    p.integer("rto_low_packets", &R::rto_low_packets, 0, 1'000'000,
              "irn: N, the number of packets in flight up to which rto_low counts", "IRN 3.1")
        .only_with("kind", {"irn"});
    p.integer("duplicates", &R::duplicates, 1, 1'000'000,
              "sack: a packet counts as lost when this many packets behind it have arrived", "RFC 6675 DupThresh")
        .only_with("kind", {"sack"})
        .only_with("reordering", {"0 ps"});
    p.time("reordering", &R::reordering,
           "sack: a packet counts as lost when one that was sent later by this time has arrived, however many are "
           "behind it; 0 = packets are counted (duplicates)",
           "after RACK, RFC 8985", Time{0}, Time{1'000'000'000'000})
        .only_with("kind", {"sack"});
  }

  bool selective() const { return kind != RecoveryKind::go_back_n; }
  // How many packets behind a missing one have to arrive before it counts as lost; with IRN one is enough.
  std::int64_t threshold() const { return kind == RecoveryKind::irn ? 1 : duplicates; }
};

}  // namespace weir::host
