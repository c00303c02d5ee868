// The programs of on_ramp.bpf.c in the kernel, and their maps.
#pragma once

#include <bpf/libbpf.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hosts/bpf/maps.h"
#include "hosts/path/data_path.h"

namespace weir::hosts {

// From an address to the form that maps have, and back.
std::array<unsigned, 4> mapped(const Address& address);
Address unmapped(const unsigned (&address)[4]);
// The flow of data that this host sends with such a key.
Flow flow_sent(const weir_flow_key& key);
weir_flow_key key_sent(const Flow& flow);

class Program {
 public:
  // Loads `object`, which is that of on_ramp.bpf.c or contains it; with `only`, no other programs of it than these.
  // Throws Unavailable that says what the kernel or this process lacks.
  Program(const PathSettings& settings, std::span<const unsigned char> object,
          const std::vector<std::string>& only = {});

  // Descriptors, of this object.
  int egress() const { return program("weir_egress"); }
  int ingress() const { return program("weir_ingress"); }
  int program(const char* name) const;
  int map(const char* name) const;

  // What the programs read and write, in their memory.
  weir_state& state() const { return *state_; }

  void set_peer(const Peer& peer) const;
  void remove_peer(const Address& address) const;
  // Sums of all processors.
  weir_counters counters() const;
  // Those that is_told_of() `now`.
  std::vector<FlowView> flows(std::int64_t now) const;
  // Processor time of both programs, if the kernel measures it (kernel.bpf_stats_enabled); else 0.
  std::uint64_t processor_ns() const;

 private:
  struct Close {
    void operator()(bpf_object* object) const { bpf_object__close(object); }
  };
  struct Unmap {
    void operator()(weir_state* state) const;
  };
  bool hold_;
  std::unique_ptr<bpf_object, Close> object_;
  std::unique_ptr<weir_state, Unmap> state_;
};

}  // namespace weir::hosts
