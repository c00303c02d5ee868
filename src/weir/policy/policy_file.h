// Policies as TOML (docs/guides/learning.md, "Policies"), and the ones that come with Weir.
#pragma once

#include <string>
#include <string_view>

#include "weir/policy/policy.h"

namespace weir::policy {

// Throws InputError with file, line and key if the text is not a policy that a Decider takes.
Policy parse_policy(std::string_view text, const std::string& file);
Policy read_policy(const std::string& file);

// The text that parse_policy() reads back to the same policy, to the bit. Throws InputError if check() does.
std::string policy_text(const Policy& policy);

// The checksum (base/checksum.h) of policy_text() without [trained] and the provenance: two policies that decide the
// same way by the same numbers have the same one.
std::string digest(const Policy& policy);

// One that comes with Weir. Throws InputError if there is none of this name, and lists those that are there.
Policy shipped_policy(std::string_view name);
// Whether a text names a file rather than a policy that comes with Weir: with a '/' in it, or ".toml" at its end.
bool names_policy_file(std::string_view text);
// A file's or a shipped one's.
Policy find_policy(const std::string& name);

}  // namespace weir::policy
