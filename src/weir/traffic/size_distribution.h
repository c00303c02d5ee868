// How large flows are: a fixed size, or a cumulative distribution that is linear between points.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/units.h"

namespace weir::traffic {

class SizeDistribution {
 public:
  // Every flow has this size, at least 1 byte.
  static SizeDistribution fixed(Bytes size);

  // Reads lines "size_bytes cumulative_percent", separated by blanks or a comma. Neither column decreases. Two lines
  // with the same size are a point mass, and so is the first line if it is above 0 %. The last line is at 100 %, or at
  // 1: then the column holds fractions. A first line of one number is the mean, as in Homa's lists: its value is not
  // used, and every size is then a point mass. Text from '#' on and empty lines are ignored. Throws InputError naming
  // `file`, the line and the valid values.
  static SizeDistribution parse(std::string_view text, const std::string& file);

  // A distribution that comes with Weir, such as "FB_Hadoop".
  static SizeDistribution named(std::string_view name);

  // The text of a scenario: a workload's name, a size ("1 MB"), or a file name, recognised by a '/' or an extension
  // such as ".txt" and relative to `folder`. Throws InputError about `key`, or about the line of the file that is
  // wrong.
  static bool names_file(std::string_view text);
  static SizeDistribution from_text(std::string_view text, std::string_view key, const std::string& folder);

  // The mean of the piecewise-linear curve (trapezoids). A draw's mean is up to a byte smaller,
  // because draws are whole bytes; the load of HPCC's traffic generator has the same convention.
  double mean() const;

  // The size at cumulative probability u in [0, 1): rounded down, at least 1 byte. Never
  // decreases with u. With u uniform this is a draw.
  Bytes quantile(double u) const;

  Bytes smallest() const { return quantile(0); }
  Bytes largest() const;

  // 1 for a fixed size.
  std::size_t points() const { return size_.size(); }

 private:
  void add(double size, double percent);

  // Separate from the sizes, because the search reads the percentages alone. Sizes are whole numbers.
  std::vector<double> percent_;
  std::vector<double> size_;
};

}  // namespace weir::traffic
