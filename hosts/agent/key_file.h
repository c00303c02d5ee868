// The file of the master key, from which the keys of all pairs of hosts follow: 64 hexadecimal digits. All hosts have
// the same, and nobody but its owner may read it.
#pragma once

#include <string>

#include "hosts/wire/keys.h"

namespace weir::hosts {

// Throws InputError: the file cannot be read, is not 64 hexadecimal digits, others than its owner may read or write it,
// or it belongs neither to root nor to who runs this.
MasterKey read_key_file(const std::string& file);

// Makes a new key from the kernel's randomness. Throws InputError where the file exists or cannot be made.
void make_key_file(const std::string& file);

}  // namespace weir::hosts
