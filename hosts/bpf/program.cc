#include "hosts/bpf/program.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "hosts/bpf/libbpf_log.h"
#include "hosts/path/system_error.h"

namespace weir::hosts {
namespace {

// Notes of packets that nobody has answered for so long are forgotten; ns.
constexpr std::int64_t kLongestWait = 2'000'000'000;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

weir_settings kernel_settings(const PathSettings& settings) {
  weir_settings out{};
  out.max_hold = settings.max_hold;
  out.live_for = settings.live_for;
  out.max_pause = settings.rule.max_pause;
  out.max_age = kLongestWait;
  out.gain = settings.rule.gain;
  out.initial_beta = settings.rule.initial_beta;
  out.strawman = settings.rule.strawman ? 1 : 0;
  out.hold = settings.hold ? 1 : 0;
  out.burst_gap = settings.or_ack.burst_gap;
  out.or_ack_gap = kNsPerSecond / std::max<std::int64_t>(settings.or_ack.per_second, 1);
  out.or_ack_reserve = settings.or_ack.per_second == 0 ? -1 : std::max<long long>(kNsPerSecond / 10, out.or_ack_gap);
  out.per_bytes = settings.or_ack.bytes;
  out.per_packets = settings.or_ack.packets;
  out.port = WEIR_BE16(settings.or_ack.port);
  if (::getrandom(&out.nonce, sizeof out.nonce, 0) != sizeof out.nonce) out.nonce = 0x5765'6972;
  out.nonce |= 1;  // not 0
  out.clock_start = settings.test_clock_start;
  out.clock_offset = settings.test_clock_offset;
  out.clock_drift = settings.test_clock_drift;
  return out;
}

weir_siphash_key siphash_key(const PairKey& key) {
  weir_siphash_key out;
  static_assert(sizeof out == sizeof key.key);
  std::memcpy(&out, key.key.data(), sizeof out);
  return {WEIR_LE64(out.k0), WEIR_LE64(out.k1)};
}

// Whether this process may do what the verifier allows to nobody else.
bool is_allowed() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3]{};
  if (::syscall(SYS_capget, &header, sets) != 0) return true;
  const auto has = [&sets](unsigned which) { return (sets[which / 32].effective >> which % 32 & 1) != 0; };
  return has(CAP_SYS_ADMIN) || (has(CAP_BPF) && has(CAP_NET_ADMIN) && has(CAP_PERFMON));
}

Unavailable load_error(int error) {
  if ((error == EPERM || error == EACCES) && !is_allowed())
    return Unavailable("this process may not load BPF programs",
                       "run it as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON");
  const std::string reason = LibbpfLog::reason();
  return Unavailable(fmt::format("the kernel refuses the BPF programs: {}{}{}", std::strerror(error),
                                 reason.empty() ? "" : ": ", reason),
                     "Linux 6.1 or later is needed; mode queue does without BPF");
}

bpf_map* map_of_section(bpf_object* object, std::string_view section) {
  for (bpf_map* map = bpf_object__next_map(object, nullptr); map != nullptr; map = bpf_object__next_map(object, map))
    if (std::string_view(bpf_map__name(map)).ends_with(section)) return map;
  return nullptr;
}

void check(int result, const char* what) {
  if (result < 0) throw errno_error(what, -result);
}

}  // namespace

std::array<unsigned, 4> mapped(const Address& address) {
  std::array<unsigned, 4> out{};
  if (address.v6) {
    std::memcpy(out.data(), address.bytes.data(), sizeof out);
  } else {
    out[2] = WEIR_BE32(0xffffu);
    std::memcpy(&out[3], address.bytes.data(), sizeof out[3]);
  }
  return out;
}

Address unmapped(const unsigned (&address)[4]) {
  Address out;
  out.v6 = !(address[0] == 0 && address[1] == 0 && address[2] == WEIR_BE32(0xffffu));
  if (out.v6)
    std::memcpy(out.bytes.data(), address, sizeof address);
  else
    std::memcpy(out.bytes.data(), &address[3], sizeof address[3]);
  return out;
}

Flow flow_sent(const weir_flow_key& key) {
  return {unmapped(key.local), unmapped(key.remote), WEIR_BE16(key.local_port), WEIR_BE16(key.remote_port)};
}

weir_flow_key key_sent(const Flow& flow) {
  weir_flow_key out{};
  std::ranges::copy(mapped(flow.source), out.local);
  std::ranges::copy(mapped(flow.destination), out.remote);
  out.local_port = WEIR_BE16(flow.source_port);
  out.remote_port = WEIR_BE16(flow.destination_port);
  return out;
}

Program::Program(const PathSettings& settings, std::span<const unsigned char> object,
                 const std::vector<std::string>& only)
    : hold_(settings.hold) {
  const LibbpfLog log;
  bpf_object_open_opts options{};
  options.sz = sizeof options;
  options.object_name = "weir";
  object_.reset(bpf_object__open_mem(object.data(), object.size(), &options));
  if (!object_) throw load_error(errno);
  bpf_map* constants = map_of_section(object_.get(), ".rodata");
  bpf_map* variables = map_of_section(object_.get(), ".bss");
  const weir_settings told = kernel_settings(settings);
  if (constants == nullptr || variables == nullptr || bpf_map__value_size(variables) < sizeof(weir_state) ||
      bpf_map__set_initial_value(constants, &told, sizeof told) != 0)
    throw std::logic_error("the embedded BPF object is not that of this program");
  // The free entries of a table that forgets the oldest are spread over processors, 128 each.
  bpf_map* flows = bpf_object__find_map_by_name(object_.get(), "flows");
  const int processors = libbpf_num_possible_cpus();
  if (processors > 16) bpf_map__set_max_entries(flows, WEIR_BPF_FLOWS / 16 * static_cast<unsigned>(processors));
  bpf_program* each = nullptr;
  while ((each = bpf_object__next_program(object_.get(), each)) != nullptr)
    bpf_program__set_autoload(each, only.empty() || std::ranges::find(only, bpf_program__name(each)) != only.end());
  const int failed = bpf_object__load(object_.get());
  if (failed != 0) throw load_error(-failed);
  // The kernel's pages, mapped here.
  void* pages = ::mmap(nullptr, sizeof(weir_state), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(variables), 0);
  if (pages == MAP_FAILED) throw Unavailable("the memory of BPF programs cannot be mapped", "");
  state_.reset(static_cast<weir_state*>(pages));
}

void Program::Unmap::operator()(weir_state* state) const { ::munmap(state, sizeof *state); }

int Program::program(const char* name) const {
  const bpf_program* found = bpf_object__find_program_by_name(object_.get(), name);
  return found == nullptr ? -1 : bpf_program__fd(found);
}

int Program::map(const char* name) const { return bpf_object__find_map_fd_by_name(object_.get(), name); }

void Program::set_peer(const Peer& peer) const {
  weir_peer out{};
  out.held = peer.held && peer.clock.sigma >= 0 ? 1 : 0;
  out.threshold = rule_threshold(peer, hold_ && out.held != 0);
  out.at = peer.clock.at;
  out.offset = peer.clock.offset;
  out.drift = peer.clock.drift;
  out.sigma = peer.clock.sigma;
  out.send_id = static_cast<std::uint16_t>(peer.send.current.epoch);
  out.send = siphash_key(peer.send.current);
  const PairKey* const keys[] = {&peer.receive.current, &peer.receive.previous, &peer.receive.next};
  static_assert(std::size(keys) == std::extent_v<decltype(out.receive)>);
  for (std::size_t i = 0; i < std::size(keys); ++i) {
    out.receive_id[i] = static_cast<std::uint16_t>(keys[i]->epoch);
    out.receive[i] = siphash_key(*keys[i]);
  }
  check(bpf_map_update_elem(map("peers"), mapped(peer.address).data(), &out, BPF_ANY), "telling the kernel of a peer");
}

void Program::remove_peer(const Address& address) const {
  const int result = bpf_map_delete_elem(map("peers"), mapped(address).data());
  if (result != -ENOENT) check(result, "telling the kernel of a peer");
}

weir_counters Program::counters() const {
  using Values = std::array<unsigned long long, sizeof(weir_counters) / sizeof(unsigned long long)>;
  std::vector<weir_counters> all(static_cast<std::size_t>(libbpf_num_possible_cpus()));
  const unsigned zero = 0;
  check(bpf_map_lookup_elem(map("counters"), &zero, all.data()), "reading the counters of BPF programs");
  weir_counters sum{};
  for (const weir_counters& one : all) {
    const unsigned long long longest = std::max(sum.held_ns_max, one.held_ns_max);
    Values a;
    Values b;
    std::memcpy(a.data(), &sum, sizeof sum);
    std::memcpy(b.data(), &one, sizeof one);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    std::memcpy(static_cast<void*>(&sum), a.data(), sizeof sum);
    sum.held_ns_max = longest;
  }
  return sum;
}

std::vector<FlowView> Program::flows(std::int64_t now) const {
  std::vector<FlowView> out;
  const int table = map("flows");
  weir_flow_key key{};
  weir_flow flow;
  for (int more = bpf_map_get_next_key(table, nullptr, &key); more == 0;
       more = bpf_map_get_next_key(table, &key, &key)) {
    if (bpf_map_lookup_elem(table, &key, &flow) != 0) continue;
    if (!is_told_of(flow.packets, flow.ended != 0, flow.last, now)) continue;
    out.push_back({.flow = flow_sent(key),
                   .delay = flow.delay,
                   .beta = static_cast<double>(flow.rule.beta) / WEIR_ON_RAMP_ONE,
                   .pause_end = flow.rule.pause_end,
                   .last = flow.last,
                   .packets = flow.packets,
                   .bytes = flow.bytes,
                   .held = flow.held,
                   .held_ns = flow.held_ns,
                   .or_acks = flow.or_acks});
  }
  return out;
}

std::uint64_t Program::processor_ns() const {
  std::uint64_t out = 0;
  for (const int program : {egress(), ingress()}) {
    bpf_prog_info info{};
    unsigned size = sizeof info;
    if (bpf_obj_get_info_by_fd(program, &info, &size) == 0) out += info.run_time_ns;
  }
  return out;
}

}  // namespace weir::hosts
