// The options of htsim_uec, each with its last values, as that program takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/units.h"

namespace weir::scenario {

class HtsimOptions {
 public:
  // Throws InputError that names an option which is unknown, not possible here, or lacks values; so do the functions
  // that read a value which is not valid.
  explicit HtsimOptions(const std::vector<std::string>& arguments);

  // An error about an option.
  static InputError error_at(std::string_view name, const std::string& what);
  bool has(const std::string& name) const { return values_.contains(name); }
  bool repeated(const std::string& name) const { return repeated_.contains(name); }
  // Does a stand there, behind b if that does too?
  bool later(const std::string& a, const std::string& b) const {
    return has(a) && (!has(b) || order_.at(a) > order_.at(b));
  }
  // Those that stand there and say nothing about the run.
  const std::vector<std::string>& ignored() const { return ignored_; }

  // The value of an option, or `fallback` if it is not there.
  std::string text(const std::string& name, const std::string& fallback = "") const {
    return has(name) ? values_.at(name).front() : fallback;
  }
  std::string choice(const std::string& name, const std::string& fallback, const std::vector<std::string>& valid) const;
  std::int64_t whole(const std::string& name, std::int64_t fallback, std::int64_t min, std::int64_t max,
                     std::size_t which = 0) const;
  double number(const std::string& name, double fallback, double min, double max) const;
  // A number of microseconds, `least` or more where it is written.
  Time microseconds(const std::string& name, double fallback, double least = 0) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::map<std::string, std::size_t> order_;
  std::set<std::string> repeated_;
  std::vector<std::string> ignored_;
};

}  // namespace weir::scenario
