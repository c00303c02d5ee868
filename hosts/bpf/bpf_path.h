// The data path in the kernel. hosts/path/data_path.h has attach_bpf().
#pragma once

#include <optional>

#include "hosts/path/data_path.h"

namespace weir::hosts {

// Whether attach_bpf() would do with these settings, for `weir-host check`: programs are loaded and interfaces looked
// at, and nothing is changed. Throws Unavailable. Whether the kernel has the qdisc fq is only known once it is put
// somewhere.
void check_bpf(const PathSettings& settings);

// Whether the kernel translates BPF programs into machine code; nothing: this process may not load any.
std::optional<bool> bpf_is_translated();

}  // namespace weir::hosts
