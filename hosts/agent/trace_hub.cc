#include "hosts/agent/trace_hub.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace weir::hosts {
namespace {

constexpr std::size_t kMostWaiting = 4 << 20;  // bytes that a slow reader may have to fetch
constexpr std::size_t kMostFlows = 1'000'000;  // that a reader has been told

}  // namespace

void TraceHub::add(const std::shared_ptr<ControlConnection>& connection) {
  auto subscriber = std::make_unique<Subscriber>();
  subscriber->connection = connection;
  subscribers_.push_back(std::move(subscriber));
  connection->on_close([this, gone = connection.get()] { remove(gone); });
  path_.trace([this](const Decision& decision) { take(decision); });
}

void TraceHub::remove(const ControlConnection* connection) {
  std::erase_if(subscribers_, [&](const auto& s) { return s->connection.get() == connection; });
  if (subscribers_.empty()) path_.trace(nullptr);
}

void TraceHub::take(const Decision& decision) {
  for (const auto& subscriber : subscribers_) add_line(*subscriber, decision);
}

void TraceHub::add_line(Subscriber& to, const Decision& d) {
  if (to.lines.size() + to.connection->waiting() > kMostWaiting || to.flows.size() > kMostFlows) {
    ++to.lost;
    return;
  }
  const auto [flow, is_new] = to.flows.try_emplace(d.flow, to.flows.size());
  auto out = std::back_inserter(to.lines);
  if (is_new)
    fmt::format_to(
        out, "{{\"flow\":{},\"source\":\"{}\",\"source_port\":{},\"destination\":\"{}\",\"destination_port\":{}}}\n",
        flow->second, to_text(d.flow.source), d.flow.source_port, to_text(d.flow.destination), d.flow.destination_port);
  if (d.kind == Decision::Kind::sent)
    fmt::format_to(out, "[\"sent\",{},{},{},{},{}]\n", d.time, flow->second, d.seq, d.length, d.held_for);
  else
    fmt::format_to(out, "[\"or_ack\",{},{},{},{},{},{}]\n", d.time, flow->second, d.seq, d.delay, d.beta, d.pause);
}

void TraceHub::flush() {
  // sending may end a connection, and that changes the list
  std::vector<std::shared_ptr<ControlConnection>> connections;
  std::vector<std::string> texts;
  for (const auto& s : subscribers_) {
    if (s->lost != 0) s->lines += fmt::format("{{\"lost\":{}}}\n", std::exchange(s->lost, 0));
    if (s->lines.empty()) continue;
    s->lines.pop_back();  // a line is sent with its end
    connections.push_back(s->connection);
    texts.push_back(std::exchange(s->lines, {}));
  }
  for (std::size_t i = 0; i < connections.size(); ++i) connections[i]->send_text(texts[i]);
}

}  // namespace weir::hosts
