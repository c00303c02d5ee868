// Lists of numbers such as hosts, as people write them: "all", "7", "0-15", "0-255:32" (every 32nd), "0-3,8,12-15".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// The numbers in the order written. They are below `count`, and each stands there once. `what` is what they are the
// numbers of, such as "host". Throws InputError about no key; its message quotes the text.
std::vector<std::uint32_t> parse_number_list(std::string_view text, std::uint32_t count, std::string_view what);

// "host 400 does not exist: hosts are 0 to 319"
std::string does_not_exist(std::string_view what, std::uint64_t number, std::uint32_t count);

}  // namespace weir
