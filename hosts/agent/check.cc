#include "hosts/agent/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "hosts/agent/interface.h"
#include "hosts/agent/paths.h"
#include "hosts/agent/peers.h"
#include "hosts/agent/privileges.h"
#include "hosts/agent/program.h"
#include "hosts/agent/scratch_network.h"
#ifdef WEIR_HOSTS_BPF
#include "hosts/bpf/bpf_path.h"
#endif

namespace weir::hosts {
namespace {

constexpr int kTryWithin = 20'000;  // ms
constexpr const char* kAssumed = "eth0";
constexpr std::array kModes{Mode::observe, Mode::bpf, Mode::queue};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Whether a command succeeds; "" = yes, else what it said.
std::string complaint(const std::vector<std::string>& command) {
  const ProgramResult result = run_program(command);
  if (result.ok()) return "";
  const std::string said = first_line(result.output);
  return said.empty() ? fmt::format("{} failed", to_text(command)) : said;
}

// An interface to try things on, in a scratch network; named like the real one, since messages name it.
std::string scratch_interface(const std::string& name = kAssumed) {
  const std::string other = "weir-other";
  if (!run_program({"ip", "link", "add", name, "type", "veth", "peer", "name", other}).ok()) return "lo";
  for (const auto& end : {name, other}) run_program({"ip", "link", "set", end, "up"});
  return name;
}

Fact in_scratch(const std::string& name, const std::string& what,
                const std::function<std::string(const std::string& interface)>& work) {
  try {
    const std::string said = in_scratch_network([&] { return nlohmann::json(work(scratch_interface())); }, kTryWithin);
    return {name, said.empty(), said.empty() ? what : said};
  } catch (const std::exception& error) {
    return {name, false, error.what()};
  }
}

ModeFact try_mode(Mode mode, const std::optional<Config>& config, const std::string& interface) {
  ModeFact out{mode, false, "", ""};
  try {
    const auto answer = in_scratch_network(
        [&]() -> nlohmann::json {
          PathSettings settings = config ? path_settings(*config, 0) : PathSettings{};
          settings.interfaces = {scratch_interface(interface)};
          settings.hold = mode != Mode::observe;
          try {
            OpenPath open = open_path(mode, settings);
            open.path->detach();
            return {{"by", open.name}, {"why", open.note}};
          } catch (const Unavailable& error) {
            return {
                {"by", ""},
                {"why", error.remedy().empty() ? error.what() : fmt::format("{}; {}", error.what(), error.remedy())}};
          }
        },
        kTryWithin);
    out.by = answer.at("by");
    out.why = answer.at("why");
    out.possible = !out.by.empty();
  } catch (const std::exception& error) {
    out.why = error.what();
  }
  return out;
}

// What only the interface itself tells, such as a qdisc that someone has chosen. Nothing is changed.
void check_on([[maybe_unused]] const std::vector<std::string>& interfaces, [[maybe_unused]] ModeFact& fact) {
#ifdef WEIR_HOSTS_BPF
  if (fact.mode != Mode::bpf || !fact.possible || interfaces.empty()) return;
  try {
    check_bpf({.interfaces = interfaces, .hold = true});
  } catch (const Unavailable& error) {
    fact = {fact.mode, false, "", error.remedy().empty() ? error.what() : error.what() + ("; " + error.remedy())};
  }
#endif
}

Fact translation() {
  const std::string name = "BPF JIT";
#ifdef WEIR_HOSTS_BPF
  const auto translated = bpf_is_translated();
  if (!translated) return {name, false, "not known, since this process may not load BPF programs; run it as root"};
  if (*translated) return {name, true, "on"};
  return {name, false, "off, so that programs are slow; sysctl net.core.bpf_jit_enable=1"};
#else
  return {name, false, "not known, since this weir-host was built without the path in the kernel"};
#endif
}

InterfaceCheck check_interface(const std::string& name) {
  InterfaceCheck out;
  out.name = name;
  const auto facts = interface_facts(name);
  if (!facts) return out;
  out.exists = true;
  out.mtu = facts->mtu;
  out.rate = facts->rate;
  out.hardware_timestamps = facts->hardware_timestamps;
  out.gso_max_size = facts->gso_max_size;
  const auto qdiscs =
      nlohmann::json::parse(run_program({"tc", "-j", "qdisc", "show", "dev", name}).output, nullptr, false);
  if (qdiscs.is_array())
    for (const auto& qdisc : qdiscs)
      if (qdisc.is_object() && qdisc.value("root", false)) out.qdisc = qdisc.value("kind", "");
  return out;
}

void check_segment(CheckReport& report, const Config& config) {
  const SegmentChoice choice = choose_segment(config, link_facts(config));
  report.segment_good = choice.warning.empty();
  report.segment = !choice.warning.empty() ? choice.warning
                   : choice.limit == 0     ? "super-packets keep their size"
                                           : fmt::format("gso_max_size would be {}", choice.limit);
}

}  // namespace

bool CheckReport::good() const {
  if (std::any_of(interfaces.begin(), interfaces.end(), [](const auto& i) { return !i.exists; })) return false;
  return std::any_of(modes.begin(), modes.end(),
                     [&](const ModeFact& m) { return m.possible && (!wanted || m.mode == *wanted); });
}

CheckReport check_this_host(const std::optional<Config>& config, const std::vector<std::string>& interfaces) {
  CheckReport out;
  utsname name{};
  ::uname(&name);
  out.kernel = name.release;
  const auto missing = missing_capabilities(true);
  out.facts.push_back(
      {"capabilities", missing.empty(),
       missing.empty() ? "all that are needed" : fmt::format("{} missing; run it as root", fmt::join(missing, ", "))});
  const bool btf = ::access("/sys/kernel/btf/vmlinux", R_OK) == 0;
  out.facts.push_back({"BTF", btf, btf ? "the kernel describes its types" : "/sys/kernel/btf/vmlinux is not there"});
  out.facts.push_back(translation());
  out.facts.push_back(in_scratch("clsact", "programs can be attached to interfaces", [](const auto& interface) {
    return complaint({"tc", "qdisc", "add", "dev", interface, "clsact"});
  }));
  out.facts.push_back(in_scratch("fq", "packets can be given departure times", [](const auto& interface) {
    return complaint({"tc", "qdisc", "add", "dev", interface, "root", "fq"});
  }));
  for (const char* iptables : {"iptables", "ip6tables"})
    out.facts.push_back(in_scratch(fmt::format("NFQUEUE by {}", iptables), "packets can be held in user space",
                                   [iptables](const auto&) {
                                     return complaint({iptables, "-w", "-t", "mangle", "-A", "POSTROUTING", "-j",
                                                       "NFQUEUE", "--queue-num", "7", "--queue-bypass"});
                                   }));
  const auto& named = config ? config->interfaces : interfaces;
  for (const Mode mode : kModes) {
    out.modes.push_back(try_mode(mode, config, named.empty() ? kAssumed : named.front()));
    check_on(named, out.modes.back());
  }
  for (const auto& interface : named) out.interfaces.push_back(check_interface(interface));
  if (config) {
    out.wanted = config->mode;
    check_segment(out, *config);
  }
  return out;
}

nlohmann::ordered_json to_json(const CheckReport& report) {
  auto facts = nlohmann::ordered_json::array();
  for (const auto& f : report.facts) facts.push_back({{"name", f.name}, {"good", f.good}, {"value", f.value}});
  nlohmann::ordered_json modes;
  for (const auto& m : report.modes)
    modes[std::string(name_of(m.mode))] = {{"possible", m.possible}, {"by", m.by}, {"why", m.why}};
  auto interfaces = nlohmann::ordered_json::array();
  for (const auto& i : report.interfaces)
    interfaces.push_back({{"name", i.name},
                          {"exists", i.exists},
                          {"mtu", i.mtu},
                          {"rate_bps", i.rate},
                          {"hardware_timestamps", i.hardware_timestamps},
                          {"gso_max_size", i.gso_max_size},
                          {"qdisc", i.qdisc}});
  nlohmann::ordered_json out{{"good", report.good()},
                             {"kernel", report.kernel},
                             {"modes", modes},
                             {"facts", facts},
                             {"interfaces", interfaces}};
  if (report.wanted) out["wanted"] = name_of(*report.wanted);
  if (!report.segment.empty()) out["segment"] = {{"good", report.segment_good}, {"value", report.segment}};
  return out;
}

std::string to_text(const CheckReport& report) {
  std::string out = fmt::format("kernel {}\n\n", report.kernel);
  for (const auto& m : report.modes) {
    out += fmt::format("mode {:<8} {}", name_of(m.mode),
                       m.possible ? fmt::format("possible, by {}", m.by) : "not possible");
    out += fmt::format("{}{}\n", m.why.empty() ? "" : ": ", m.why);
  }
  out += "\n";
  for (const auto& f : report.facts) out += fmt::format("{:<4} {:<21} {}\n", f.good ? "yes" : "no", f.name, f.value);
  for (const auto& i : report.interfaces) {
    if (!i.exists) {
      out += fmt::format("no   {:<21} there is no such interface\n", i.name);
      continue;
    }
    out += fmt::format("yes  {:<21} MTU {}, {}, super-packets of {} bytes, qdisc {}, {}\n", i.name, i.mtu,
                       i.rate == 0 ? "rate not known" : fmt::format("{} Mb/s", i.rate / 1'000'000), i.gso_max_size,
                       i.qdisc.empty() ? "?" : i.qdisc,
                       i.hardware_timestamps ? "timestamps by hardware" : "timestamps by software");
  }
  if (report.interfaces.empty())
    out += fmt::format(
        "\nNo interface is named, so modes were tried on one that was made for it, called {}, and nothing "
        "is told of this host's own: weir-host check --interface NAME\n",
        kAssumed);
  if (!report.segment.empty())
    out += fmt::format("{:<4} {:<21} {}\n", report.segment_good ? "yes" : "no", "T", report.segment);
  return out;
}

}  // namespace weir::hosts
