#include "hosts/agent/privileges.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/capability.h>
#include <sys/prctl.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace weir::hosts {
namespace {

constexpr std::array<cap_value_t, 2> kNetwork{CAP_NET_ADMIN, CAP_NET_RAW};
constexpr std::array<cap_value_t, 2> kBpf{CAP_BPF, CAP_PERFMON};

struct Free {
  void operator()(cap_t caps) const { ::cap_free(caps); }
};
using Capabilities = std::unique_ptr<std::remove_pointer_t<cap_t>, Free>;

bool is_set(const Capabilities& caps, cap_value_t value, cap_flag_t set) {
  cap_flag_value_t out = CAP_CLEAR;
  return ::cap_get_flag(caps.get(), value, set, &out) == 0 && out == CAP_SET;
}

std::string name_of(cap_value_t value) {
  char* name = ::cap_to_name(value);
  std::string out = name == nullptr ? "?" : name;
  ::cap_free(name);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

bool is_kept(cap_value_t value) {
  for (const auto* list : {&kNetwork, &kBpf})
    for (const cap_value_t kept : *list)
      if (kept == value) return true;
  return false;
}

}  // namespace

std::vector<std::string> missing_capabilities(bool bpf) {
  const Capabilities caps(::cap_get_proc());
  std::vector<std::string> out;
  for (const auto* list : {&kNetwork, &kBpf})
    for (const cap_value_t value : *list)
      if ((bpf || list == &kNetwork) && !is_set(caps, value, CAP_EFFECTIVE)) out.push_back(name_of(value));
  return out;
}

Realtime::Realtime() {
  sched_param priority{};
  priority.sched_priority = 1;
  on_ = ::sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
}

Realtime::~Realtime() {
  const sched_param none{};
  if (on_) ::sched_setscheduler(0, SCHED_OTHER, &none);
}

void drop_privileges() {
  const auto error = [](const char* what) {
    return std::runtime_error(fmt::format("privileges cannot be given up: {}: {}", what, std::strerror(errno)));
  };
  const Capabilities caps(::cap_get_proc());
  // the set that bounds what a program of root gets; only who may do this has anything to give up
  if (is_set(caps, CAP_SETPCAP, CAP_EFFECTIVE))
    for (cap_value_t value = 0; value < ::cap_max_bits(); ++value)
      if (!is_kept(value) && ::cap_drop_bound(value) != 0) throw error("cap_drop_bound");
  const Capabilities kept(::cap_init());
  for (const auto* list : {&kNetwork, &kBpf})
    for (const cap_value_t value : *list) {
      if (!is_set(caps, value, CAP_PERMITTED)) continue;
      for (const cap_flag_t set : {CAP_PERMITTED, CAP_EFFECTIVE, CAP_INHERITABLE})
        if (::cap_set_flag(kept.get(), set, 1, &value, CAP_SET) != 0) throw error("cap_set_flag");
    }
  if (::cap_set_proc(kept.get()) != 0) throw error("cap_set_proc");
  // programs that it starts, such as tc, need them when the agent is not root
  for (const auto* list : {&kNetwork, &kBpf})
    for (const cap_value_t value : *list)
      if (is_set(kept, value, CAP_PERMITTED)) ::cap_set_ambient(value, CAP_SET);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) throw error("no_new_privs");
}

}  // namespace weir::hosts
