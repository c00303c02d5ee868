// BPF programs as the compiler made them, embedded by cmake/BpfObject.cmake.
#pragma once

#include <span>

namespace weir::hosts {

// on_ramp.bpf.c
std::span<const unsigned char> bpf_object_on_ramp();

}  // namespace weir::hosts
