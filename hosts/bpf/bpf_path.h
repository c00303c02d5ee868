// The data path in the kernel. hosts/path/data_path.h has attach_bpf().
#pragma once

#include <string>

#include "hosts/path/data_path.h"

namespace weir::hosts {

// Whether attach_bpf() would do with these settings, for `weir-host check`: programs are loaded and interfaces looked
// at, and nothing is changed. Throws Unavailable. Whether the kernel has the qdisc fq is only known once it is put
// somewhere.
void check_bpf(const PathSettings& settings);

}  // namespace weir::hosts
