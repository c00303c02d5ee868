// The data path in user space on its own, for the labs: with keys that all know, and clocks that agree. It ends with
// SIGTERM, and then prints its counters as JSON; SIGUSR1 makes its thread stand still, for ever.
#include <signal.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include "hosts/queue/queue_path.h"
#include "hosts/wire/keys.h"
#include "weir/cc/on_ramp_rule.h"

namespace {

using namespace weir::hosts;

std::atomic<bool> ends{false};
std::atomic<bool> hangs{false};

std::int64_t monotonic() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Address address_of(const std::string& text) {
  const auto address = parse_address(text);
  if (!address) throw std::runtime_error(text + " is no address");
  return *address;
}

void print(const Counters& c, const std::string& trouble) {
  std::printf("{");
  const auto field = [](const char* name, std::uint64_t value) {
    std::printf("\"%s\": %llu, ", name, static_cast<unsigned long long>(value));
  };
  field("packets", c.packets);
  field("bytes", c.bytes);
  field("held", c.held);
  field("held_ns", c.held_ns);
  field("held_ns_max", c.held_ns_max);
  field("clipped", c.clipped);
  field("bypassed", c.bypassed);
  field("notes", c.notes);
  field("flows", c.flows);
  field("or_acks_received", c.or_acks_received);
  field("or_acks_accepted", c.or_acks_accepted);
  field("pauses", c.pauses);
  field("refused_form", c.refused_form);
  field("refused_peer", c.refused_peer);
  field("refused_tag", c.refused_tag);
  field("refused_flow", c.refused_flow);
  field("refused_note", c.refused_note);
  field("refused_time", c.refused_time);
  field("heartbeat_expiries", c.heartbeat_expiries);
  field("data_packets", c.data_packets);
  field("or_acks_sent", c.or_acks_sent);
  field("or_acks_limited", c.or_acks_limited);
  field("processor_ns", c.processor_ns);
  std::printf("\"trouble\": \"%s\"}\n", trouble.c_str());
  std::fflush(stdout);
}

int drive(int argc, char** argv) {
  CLI::App app("the data path in user space");
  std::vector<std::string> interfaces, peers, locals;
  double threshold_us = 5'000;
  double seconds = 60;
  bool observe = false;
  PathSettings settings;
  QueueOptions options;
  options.each_turn = [] {
    while (hangs.load()) {
    }
  };
  app.add_option("--interface", interfaces)->required();
  app.add_option("--local", locals, "an address of this host, at most one per IP version")->required();
  app.add_option("--peer", peers)->required();
  app.add_option("--threshold-us", threshold_us, "T");
  app.add_option("--seconds", seconds, "ends by itself");
  app.add_option("--max-hold-us", settings.max_hold, "and of a pause")->transform([](std::string us) {
    return us + "000";
  });
  app.add_option("--many-hold-us", settings.many_hold, "where flows are many")->transform([](std::string us) {
    return us + "000";
  });
  app.add_option("--segment-limit", settings.segment_limit);
  app.add_option("--or-ack-packets", settings.or_ack.packets);
  app.add_option("--or-ack-bytes", settings.or_ack.bytes);
  app.add_option("--kill-after-ms", options.kill_after)->transform([](std::string ms) { return ms + "000000"; });
  app.add_flag("--strawman", settings.rule.strawman);
  double initial_beta = 1;
  app.add_option("--initial-beta", initial_beta)->check(CLI::Range(0.0, 1.0));
  app.add_flag("--observe", observe);
  CLI11_PARSE(app, argc, argv);
  settings.interfaces = interfaces;
  settings.hold = !observe;
  settings.rule.max_pause = settings.max_hold;
  settings.rule.initial_beta = static_cast<std::uint32_t>(std::lround(initial_beta * WEIR_ON_RAMP_ONE));

  struct sigaction act {};
  act.sa_handler = [](int) { ends = true; };
  ::sigaction(SIGTERM, &act, nullptr);
  ::sigaction(SIGINT, &act, nullptr);
  act.sa_handler = [](int) { hangs = true; };
  ::sigaction(SIGUSR1, &act, nullptr);

  const auto path = attach_queue(settings, options);
  const MasterKey master{1, 2, 3};
  for (const std::string& text : peers) {
    Peer peer{.address = address_of(text), .held = !observe};
    peer.threshold = static_cast<std::int64_t>(threshold_us * 1'000);
    peer.clock.sigma = 1'000;
    for (const std::string& local_text : locals) {
      const Address local = address_of(local_text);
      if (local.v6 != peer.address.v6) continue;
      peer.send = pair_keys(master, local, peer.address, 1);
      peer.receive = pair_keys(master, peer.address, local, 1);
    }
    path->set_peer(peer);
  }
  path->beat(monotonic());
  std::printf("up\n");
  std::fflush(stdout);
  const std::int64_t end = monotonic() + static_cast<std::int64_t>(seconds * 1e9);
  while (!ends && monotonic() < end) {
    path->beat(monotonic());
    path->poll(100);
  }
  const std::string trouble = path->trouble();
  const Counters counters = path->counters();
  path->detach();
  print(counters, trouble);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return drive(argc, argv);
  } catch (const Unavailable& missing) {
    std::fprintf(stderr, "%s (%s)\n", missing.what(), missing.remedy().c_str());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
