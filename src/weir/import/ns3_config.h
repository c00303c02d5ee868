// The config file of the simulator of HPCC's authors, and of its forks as far as they do the same. Read strictly: what
// that simulator would take for zero, or not look at, is an error here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/units.h"

namespace weir::scenario {

// Lines `KEY value...`, in any order, each key once.
class Ns3Config {
 public:
  // Throws InputError for keys that the simulator does not know and values of forks that it has not, all of them in one
  // message; for a key that comes twice, and a wrong number of values.
  Ns3Config(std::string_view text, const std::string& file);

  bool has(const std::string& key) const { return entries_.contains(key); }
  // Where a key stands, or the file.
  Where where(const std::string& key) const;
  // An error about the values of a key.
  InputError error_at(const std::string& key, const std::string& what) const;
  // Keys that stand here, in the order of the file, of those that only steer output or have no effect there.
  std::vector<std::string> without_effect() const;

  // The value of a key, or `fallback`, the simulator's own default.
  std::uint64_t whole(const std::string& key, std::uint64_t fallback, std::uint64_t min, std::uint64_t max) const;
  bool flag(const std::string& key, bool fallback) const;
  double number(const std::string& key, double fallback, double min, double max) const;
  Rate rate(const std::string& key, Rate fallback) const;
  // Empty if the key is not there.
  std::string text(const std::string& key) const;
  // Throws InputError if one of these is missing; `why` says who needs it.
  void require(const std::vector<std::string>& keys, std::string_view why) const;

  // KMAX_MAP and its like: by rate in bit/s.
  std::map<std::uint64_t, double> by_rate(const std::string& key, double max) const;
  // The three values of LINK_DOWN.
  std::vector<std::uint64_t> link_down() const;

 private:
  struct Entry {
    int line = 0;
    std::vector<std::string> values;
  };
  const Entry* find(const std::string& key) const;

  std::string file_;
  std::map<std::string, Entry> entries_;
};

}  // namespace weir::scenario
