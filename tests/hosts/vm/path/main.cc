// A data path without its agent: lab-path bpf|queue THRESHOLD_US INTERFACE LOCAL PEER... All hosts of the virtual
// machine have one clock, which is told to be known within 1 us. Ends at SIGTERM, prints the counters as JSON, and puts
// back what it has changed.
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include "hosts/path/data_path.h"
#include "hosts/wire/keys.h"

namespace weir::hosts {
namespace {

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

std::unique_ptr<DataPath> attach(const std::string& kind, const PathSettings& settings) {
#ifdef LAB_PATH_BPF
  if (kind == "bpf") return attach_bpf(settings);
#endif
#ifdef LAB_PATH_QUEUE
  if (kind == "queue") return attach_queue(settings);
#endif
  throw Unavailable("the path " + kind + " has not been built", "");
}

void print(const Counters& c) {
  const struct {
    const char* name;
    std::uint64_t value;
  } all[] = {{"packets", c.packets},
             {"held", c.held},
             {"held_ns", c.held_ns},
             {"held_ns_max", c.held_ns_max},
             {"clipped", c.clipped},
             {"bypassed", c.bypassed},
             {"notes", c.notes},
             {"flows", c.flows},
             {"flows_refused", c.flows_refused},
             {"or_acks_received", c.or_acks_received},
             {"or_acks_accepted", c.or_acks_accepted},
             {"pauses", c.pauses},
             {"refused_form", c.refused_form},
             {"refused_peer", c.refused_peer},
             {"refused_tag", c.refused_tag},
             {"refused_flow", c.refused_flow},
             {"refused_note", c.refused_note},
             {"refused_time", c.refused_time},
             {"heartbeat_expiries", c.heartbeat_expiries},
             {"data_packets", c.data_packets},
             {"or_acks_sent", c.or_acks_sent},
             {"or_acks_limited", c.or_acks_limited},
             {"processor_ns", c.processor_ns}};
  std::string text;
  for (const auto& one : all) {
    text += (text.empty() ? "\"" : ", \"") + std::string(one.name) + "\": " + std::to_string(one.value);
  }
  std::printf("{%s}\n", text.c_str());
}

int run(const std::vector<std::string>& words) {
  PathSettings settings;
  settings.hold = true;
  settings.interfaces = {words[2]};
  const auto path = attach(words[0], settings);
  const Address local = parse_address(words[3]).value();
  for (std::size_t i = 4; i < words.size(); ++i) {
    Peer peer;
    peer.address = parse_address(words[i]).value();
    peer.held = true;
    peer.threshold = std::stoll(words[1]) * 1'000;
    peer.clock = {now_ns(), 0, 0, 1'000};
    peer.send = pair_keys(MasterKey{}, local, peer.address, 1);
    peer.receive = pair_keys(MasterKey{}, peer.address, local, 1);
    path->set_peer(peer);
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int ended = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  signalfd_siginfo heard{};
  while (read(ended, &heard, sizeof heard) < 0) {
    path->beat(now_ns());
    path->poll(50);
  }
  print(path->counters());
  path->detach();
  return 0;
}

}  // namespace
}  // namespace weir::hosts

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() < 5) {
    std::fputs("usage: lab-path bpf|queue THRESHOLD_US INTERFACE LOCAL PEER...\n", stderr);
    return 2;
  }
  try {
    return weir::hosts::run(words);
  } catch (const weir::hosts::Unavailable& missing) {
    std::fprintf(stderr, "lab-path: %s; %s\n", missing.what(), missing.remedy().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lab-path: %s\n", error.what());
  }
  return 1;
}
