// weir-host trace: captures what the agent decides, as files that weir and everybody can read.
//
//   packets.csv   time_ns, flow, seq, length_bytes, held_ns      each packet (super-packet of offloads) that left
//   or_acks.csv   time_ns, flow, seq, delay_ns, beta, pause_ns   each OR-ACK that was heard
//   flows.csv     flow, source, source_port, destination, destination_port
//   meta.json     settings, peers with T and clocks at the beginning and the end, what the columns mean, what was lost
#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include <CLI/CLI.hpp>

#include "hosts/agent/commands.h"
#include "hosts/agent/control.h"
#include "hosts/agent/event_loop.h"
#include "hosts/agent/log.h"
#include "weir/base/error.h"
#include "weir/base/version.h"

namespace weir::hosts {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct TraceOptions {
  std::string out = "host-trace";
  std::string time = "10 s";
};

const OrderedJson& columns() {
  static const OrderedJson kColumns{{"packets.csv",
                                     {{"time_ns", "CLOCK_MONOTONIC at which the packet may leave, as it was decided"},
                                      {"flow", "number of the flow in flows.csv"},
                                      {"seq", "TCP sequence number of its first byte"},
                                      {"length_bytes", "of data"},
                                      {"held_ns", "by how much it leaves later for On-Ramp"}}},
                                    {"or_acks.csv",
                                     {{"time_ns", "CLOCK_MONOTONIC at which the OR-ACK came"},
                                      {"flow", "number of the flow in flows.csv"},
                                      {"seq", "TCP sequence number of the first byte of the packet that it answers"},
                                      {"delay_ns", "one way, by the clocks of both hosts"},
                                      {"beta", "after it: fall of the delay per unit of own pause"},
                                      {"pause_ns", "from now until the next packet may leave; 0 = it did not pause"}}},
                                    {"flows.csv",
                                     {{"flow", "number"},
                                      {"source", "address of this host"},
                                      {"source_port", "TCP"},
                                      {"destination", "address of the peer"},
                                      {"destination_port", "TCP"}}}};
  return kColumns;
}

class Files {
 public:
  explicit Files(const std::filesystem::path& folder) : folder_(folder) {
    if (std::filesystem::exists(folder) && !std::filesystem::is_empty(folder))
      throw InputError(std::string("--out"),
                       fmt::format("{} is there and not empty; name a new folder", folder.string()));
    std::filesystem::create_directories(folder);
    packets_ = open("packets.csv");
    or_acks_ = open("or_acks.csv");
    flows_ = open("flows.csv");
  }

  // A line of trace_hub.h.
  void take(const nlohmann::json& line) {
    if (line.is_array()) {
      auto& file = line.at(0) == "sent" ? packets_ : or_acks_;
      ++(line.at(0) == "sent" ? sent : answered);
      for (std::size_t i = 1; i < line.size(); ++i) file << (i == 1 ? "" : ",") << line[i].dump();
      file << '\n';
    } else if (line.contains("flow")) {
      ++flows;
      flows_ << line.at("flow") << ',' << line.at("source").get<std::string>() << ',' << line.at("source_port") << ','
             << line.at("destination").get<std::string>() << ',' << line.at("destination_port") << '\n';
    } else if (line.contains("lost")) {
      lost += line.at("lost").get<std::uint64_t>();
    }
  }

  void finish(const OrderedJson& meta) {
    std::ofstream(folder_ / "meta.json") << meta.dump(2) << '\n';
    for (auto* file : {&packets_, &or_acks_, &flows_})
      if (!file->flush()) throw std::runtime_error(folder_.string() + ": the trace cannot be written");
  }

  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::uint64_t flows = 0;
  std::uint64_t lost = 0;

 private:
  std::ofstream open(const std::string& name) const {
    std::ofstream out(folder_ / name);
    if (!out) throw std::runtime_error((folder_ / name).string() + ": cannot be written");
    std::string head;
    for (const auto& column : columns().at(name).items()) head += (head.empty() ? "" : ",") + column.key();
    out << head << '\n';
    return out;
  }

  std::filesystem::path folder_;
  std::ofstream packets_;
  std::ofstream or_acks_;
  std::ofstream flows_;
};

// Ctrl-C ends a trace early, and what was captured is kept.
Descriptor catch_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  return Descriptor(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

int trace(const Common& common, const TraceOptions& o) {
  const auto span = parse_duration("--for", o.time, 1'000'000, 86'400'000'000'000);
  const std::string socket = RunDir(common.run).socket();
  ControlClient client(socket);
  Files files(o.out);
  OrderedJson status = ask_agent(socket, "status");
  OrderedJson meta{{"made_by", fmt::format("weir-host {}", version())},
                   {"begin_unix_ns", unix_now()},
                   {"begin_ns", monotonic_now()},
                   {"end_ns", 0},
                   {"flows", 0},
                   {"packets", 0},
                   {"or_acks", 0},
                   {"lost", 0},
                   {"mode", status.at("mode")},
                   {"path", status.at("path")},
                   {"segment_bytes", status.at("segment_bytes")},
                   {"settings", ask_agent(socket, "settings")},
                   {"columns", columns()},
                   {"peers_at_begin", status.at("peers")},
                   {"peers_at_end", nullptr}};
  const Descriptor signals = catch_signals();
  client.ask({{"command", "trace"}});
  const std::int64_t end = monotonic_now() + span;
  bool ended = false;
  while (!ended) {
    const std::int64_t left = end - monotonic_now();
    if (left <= 0) break;
    std::array<pollfd, 2> waiting{pollfd{client.descriptor(), POLLIN, 0}, pollfd{signals.get(), POLLIN, 0}};
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(left / 1'000'000 + 1)) < 0) break;
    if (waiting[1].revents != 0) break;
    if (waiting[0].revents == 0) continue;
    do {
      const auto line = client.answer();
      ended = !line;
      if (line) files.take(*line);
    } while (!ended && client.has_line());
  }
  meta["end_ns"] = monotonic_now();
  meta["flows"] = files.flows;
  meta["packets"] = files.sent;
  meta["or_acks"] = files.answered;
  meta["lost"] = files.lost;
  if (!ended) meta["peers_at_end"] = ask_agent(socket, "status").at("peers");
  files.finish(meta);
  show_text(fmt::format("{}: {} packets and {} OR-ACKs of {} flows{}\n", o.out, files.sent, files.answered, files.flows,
                        files.lost == 0 ? "" : fmt::format("; {} decisions were lost", files.lost)));
  if (ended) throw std::runtime_error("the agent has ended before the trace did");
  return 0;
}

}  // namespace

void add_trace(CLI::App& app, const Common& common, int& status) {
  auto o = std::make_shared<TraceOptions>();
  CLI::App* command = app.add_subcommand("trace", "Capture what the agent decides, packet by packet");
  command->add_option("--out", o->out, "folder for the files, which must be new or empty");
  command->add_option("--for", o->time, "how long; Ctrl-C ends it before");
  command->callback([o, &common, &status] { status = trace(common, *o); });
}

}  // namespace weir::hosts
