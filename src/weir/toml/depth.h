// How deep a TOML text nests. Its parser, and what reads its tree, call themselves once per level.
#pragma once

#include <cstddef>
#include <string_view>

namespace weir::scenario {

// The first line on which a value would lie under more than `most` keys, lists and tables; 0 if there is none. Parts
// of dotted keys count. Of a text that is not TOML it looks as far as it is.
int first_line_deeper_than(std::string_view text, std::size_t most);

}  // namespace weir::scenario
