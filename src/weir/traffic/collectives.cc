#include "weir/traffic/collectives.h"

#include <fmt/format.h>

#include <utility>

#include "weir/traffic/checks.h"
#include "weir/traffic/hosts.h"
#include "weir/traffic/schedule.h"

namespace weir::traffic {
namespace {

// Collects messages, each of which may wait until its sender has received one other message.
class Builder {
 public:
  Builder(const Context& context, Time start, Time step_delay)
      : labels_(context.labels), start_(start), step_delay_(step_delay) {}

  std::uint32_t first(std::uint32_t src, std::uint32_t dst, Bytes size) { return add(src, dst, size, start_); }
  std::uint32_t after(std::uint32_t received, std::uint32_t src, std::uint32_t dst, Bytes size) {
    const std::uint32_t node = add(src, dst, size, step_delay_);
    edges_.push_back({received, Event::received, node});
    return node;
  }
  Program build() { return {std::move(nodes_), edges_, labels_.tag}; }

 private:
  std::uint32_t add(std::uint32_t src, std::uint32_t dst, Bytes size, Time delay) {
    nodes_.push_back(
        {.src = src, .dst = dst, .size = size, .delay = delay, .tag = labels_.tag, .profile = labels_.profile});
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  Labels labels_;
  Time start_;
  Time step_delay_;
  std::vector<Program::Node> nodes_;
  std::vector<Program::Edge> edges_;
};

using Hosts = std::vector<std::uint32_t>;

// Adds the messages step by step; if no message waits for another one, rank by rank.
void add_steps(Builder& out, const Hosts& hosts, const Schedule& schedule, Bytes size) {
  const std::uint32_t n = schedule.ranks();
  if (!schedule.waits()) {
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t s = 0; s < schedule.steps(); ++s)
        out.first(hosts[i], hosts[schedule.to(i, s)], schedule.amount(i, s, size));
    return;
  }
  std::vector<std::uint32_t> last(n);
  std::vector<std::uint32_t> now(n);
  for (std::uint32_t s = 0; s < schedule.steps(); ++s) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t to = hosts[schedule.to(i, s)];
      const Bytes amount = schedule.amount(i, s, size);
      now[i] =
          s == 0 ? out.first(hosts[i], to, amount) : out.after(last[schedule.from(i, s - 1)], hosts[i], to, amount);
    }
    last.swap(now);
  }
}

// Refuses a source with too many messages; `key` is the parameter that most determines their number.
void check_count(double messages, std::string key) {
  if (messages > kMaxNodes)
    throw InputError(std::move(key),
                     fmt::format("that would be {:.0f} messages; at most {} are possible", messages, kMaxNodes));
}

}  // namespace

Program make_collective(const Collective& c, const Context& context) {
  const CollectivePlan plan = plan_collective(c, context);
  const double messages = static_cast<double>(plan.schedule.steps()) * plan.schedule.ranks() * c.chunks;
  if (messages > kMaxNodes)
    throw InputError("hosts", fmt::format("that would be {:.0f} messages; at most {} are possible, or any number with "
                                          "messages = \"sums\"",
                                          messages, kMaxNodes));
  Builder out(context, c.start, c.step_delay);
  for (std::uint32_t chunk = 0; chunk < c.chunks; ++chunk)
    add_steps(out, plan.members->hosts, plan.schedule, part_of(c.size, chunk, c.chunks));
  Program program = out.build();
  program.measure(c.size, bus_factor(c.operation, plan.schedule.ranks()));
  return program;
}

Program make_hsdp(const Hsdp& h, const Context& context) {
  Hosts hosts = parse_hosts(h.hosts, "hosts", context);
  const auto n = static_cast<std::uint32_t>(hosts.size());
  if (h.group < 1 || n % h.group != 0 || n / h.group < 2)
    throw InputError(
        "group", fmt::format("{} does not fit {} hosts; they must be at least two whole groups, valid are {}", h.group,
                             n, divisors_text(n, 1, n / 2)));
  check_count(static_cast<double>(n) * h.steps, "steps");
  const std::uint32_t servers = n / h.group;
  constexpr std::int64_t kPaperPackets = 3'344;
  constexpr std::int64_t kPaperPayload = 4'096;
  constexpr std::int64_t kLayer = 855'654'400;
  Bytes size = h.size;
  if (size.count == 0)
    size.count = h.count == HsdpCount::paper ? kPaperPackets * kPaperPayload
                                             : std::max<std::int64_t>(1, kLayer / h.group / servers);
  hosts = place(hosts, h.placement, h.group, context);

  Builder out(context, h.start, h.step_delay);
  for (std::uint32_t step = 0; step < h.steps; ++step)
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t next = hosts[(i + h.group) % n];
      if (step == 0)
        out.first(hosts[i], next, size);
      else
        out.after((step - 1) * n + (i + n - h.group) % n, hosts[i], next, size);
    }
  return out.build();
}

}  // namespace weir::traffic
