// What a message about an unknown word adds: the known word that was probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir {

// " (did you mean 'x'?)" of the candidate that nearest() (base/params.h) finds, or "" if none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);
// The same of a word that is known to be meant; "" of "".
std::string did_you_mean(std::string_view meant);

}  // namespace weir
