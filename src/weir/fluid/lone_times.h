// How long flows take that are alone in the network, found once for all that are alike.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/fluid/paths.h"

namespace weir::fluid {

inline constexpr double kBitsPerByte = 8;

class LoneTimes {
 public:
  struct Times {
    Time tail;      // from the end of sending to receipt, by this path
    Time back;      // from there to the acknowledgement
    Time delivery;  // no flow is received sooner than with packets and alone, nor does it end sooner
    Time ideal_fct;
    std::int64_t packets = 0;
    double wire = 0;  // bits, headers included
  };

  // The model must outlive this.
  explicit LoneTimes(const engine::Model& model);

  // Of a flow with the path that along() gives it.
  const Times& of(std::uint32_t src, std::uint32_t dst, Bytes size, std::uint16_t profile,
                  std::span<const PathFinder::Use> path);

 private:
  // Flows of one size and one profile take as long if their paths cross links of the same kinds in the same order and
  // there is nothing else that they could do.
  struct Key {
    Bytes size;
    std::uint64_t kinds = 0;  // a byte for each link, from 1 on; 0 = not to be remembered
    std::uint16_t profile = 0;
    bool operator==(const Key&) const = default;
  };
  struct Known {
    Key key;
    Times times;
  };
  std::uint64_t kinds(std::span<const PathFinder::Use> path, const net::Framing& framing) const;
  Times find(std::uint32_t src, std::uint32_t dst, Bytes size, const net::Framing& framing,
             std::span<const PathFinder::Use> path);

  const engine::Model& model_;
  std::vector<std::uint8_t>
      kinds_;  // by link: from 1 on by rate and delay; none if paths differ otherwise or there are too many
  std::vector<std::uint32_t> ports_;  // of a path
  std::array<Known, 64> known_;       // by a hash of the key
};

}  // namespace weir::fluid
