// The table [trained] of policy files: the networks in which a policy was trained and validated.
#pragma once

#include <optional>
#include <string>

#include "weir/policy/policy.h"
#include "weir/toml/reader.h"

namespace weir::policy {

// What the table of the document says; nothing if there is no such table. Throws InputError with file, line and key.
std::optional<Trained> read_trained(const scenario::TableReader& document);
// The table as TOML, an empty line before it.
std::string trained_text(const Trained& trained);

}  // namespace weir::policy
