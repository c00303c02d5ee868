#include "weir/engine/model/program_driver.h"

#include <algorithm>

namespace weir::engine {

ProgramDriver::ProgramDriver(const traffic::Program& program)
    : program_(program), posts_(program.waits_across_hosts()), waits_(program.size()), times_(program.size()) {
  for (std::uint32_t node = 0; node < program.size(); ++node) {
    waits_[node] = program.waits(node);
    if (waits_[node] == 0) first_.push_back(node);
  }
  std::stable_sort(first_.begin(), first_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return program[a].src < program[b].src; });
}

void ProgramDriver::begin(traffic::Desk& desk) {
  const auto before = [&](std::uint32_t node, std::uint32_t host) { return program_[node].src < host; };
  auto node = std::lower_bound(first_.begin(), first_.end(), desk.host(), before);
  for (; node != first_.end() && program_[*node].src == desk.host(); ++node) make_due(desk, *node);
}

// Wakes the host for a node of which all that it waits for has taken effect.
void ProgramDriver::make_due(traffic::Desk& desk, std::uint32_t node) {
  const traffic::Program::Node& n = program_[node];
  desk.wake(n.is_message() ? desk.now() + n.delay : desk.now(), node);
}

void ProgramDriver::woken(traffic::Desk& desk, std::uint32_t node) {
  const traffic::Program::Node& n = program_[node];
  NodeTimes& times = times_[node];
  if (n.is_message()) {
    desk.send({.id = node,
               .word = node,
               .size = n.size,
               .dst = n.dst,
               .tag = n.tag,
               .profile = n.profile,
               .sport = n.sport,
               .dport = n.dport});
  } else if (times.started != Time::max()) {
    times.received = desk.now();
    end(desk, node);
    happened(desk, node, traffic::Event::received);
    return;
  } else {
    desk.wake(desk.now() + n.delay, node);
  }
  times.started = desk.now();
  happened(desk, node, traffic::Event::started);
}

void ProgramDriver::received(traffic::Desk& desk, const traffic::Message& message) {
  const auto node = static_cast<std::uint32_t>(message.word);
  times_[node].received = desk.now();
  happened(desk, node, traffic::Event::received);
}

void ProgramDriver::sent(traffic::Desk& desk, const traffic::Message& message) {
  end(desk, static_cast<std::uint32_t>(message.word));
}

void ProgramDriver::posted(traffic::Desk& desk, std::uint32_t, std::uint64_t node) {
  note(desk, static_cast<std::uint32_t>(node));
}

void ProgramDriver::end(traffic::Desk& desk, std::uint32_t node) {
  times_[node].sent = desk.now();
  desk.done();
  happened(desk, node, traffic::Event::sent);
}

// Tells the nodes that wait for this event of the node.
void ProgramDriver::happened(traffic::Desk& desk, std::uint32_t node, traffic::Event event) {
  for (const std::uint32_t then : program_.then(node, event))
    if (const std::uint32_t host = program_[then].src; host == desk.host())
      note(desk, then);
    else
      desk.post(host, then);
}

// One of the events that the node waits for has taken effect.
void ProgramDriver::note(traffic::Desk& desk, std::uint32_t node) {
  if (--waits_[node] == 0) make_due(desk, node);
}

}  // namespace weir::engine
