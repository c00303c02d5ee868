#include <fmt/format.h>

#include "hosts/agent/commands.h"
#include "hosts/agent/config.h"
#include "weir/base/error.h"
#include "weir/base/params.h"

namespace weir::hosts {

std::int64_t parse_duration(const std::string& option, const std::string& text, std::int64_t least, std::int64_t most) {
  const Time out = under_key(option, [&] { return parse_time(text); });
  if (nanoseconds(out) < least || nanoseconds(out) > most)
    throw InputError(option, fmt::format("{} is out of range; valid is {} to {}", text,
                                         format_value(Time{least * 1'000}), format_value(Time{most * 1'000})));
  return nanoseconds(out);
}

}  // namespace weir::hosts
