#include "weir/traffic/collectives.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "weir/traffic/checks.h"
#include "weir/traffic/hosts.h"

namespace weir::traffic {
namespace {

// Where part k of n begins if `whole` is cut as evenly as bytes allow.
std::int64_t cut(std::int64_t whole, std::uint32_t k, std::uint32_t n) {
  return static_cast<std::int64_t>(static_cast<__int128>(whole) * k / n);
}
Bytes part(std::int64_t whole, std::uint32_t k, std::uint32_t n) { return {cut(whole, k + 1, n) - cut(whole, k, n)}; }

// Collects messages, each of which may wait for the receipt of one other.
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

// In step s host i sends segment i - s to the next one, which it received in the step before.
void ring(Builder& out, const Hosts& hosts, std::int64_t size, std::uint32_t steps) {
  const auto n = static_cast<std::uint32_t>(hosts.size());
  std::vector<std::uint32_t> last(n);
  std::vector<std::uint32_t> now(n);
  for (std::uint32_t s = 0; s < steps; ++s) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const Bytes segment = part(size, (i + n - s % n) % n, n);
      const std::uint32_t next = hosts[(i + 1) % n];
      now[i] = s == 0 ? out.first(hosts[i], next, segment) : out.after(last[(i + n - 1) % n], hosts[i], next, segment);
    }
    last.swap(now);
  }
}

// The k-th message of host i goes to host i + k, so that no receiver comes first with all.
void all_to_all(Builder& out, const Hosts& hosts, std::int64_t size) {
  const auto n = static_cast<std::uint32_t>(hosts.size());
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t k = 1; k < n; ++k) {
      const std::uint32_t to = (i + k) % n;
      out.first(hosts[i], hosts[to], part(size, to, n));
    }
}

// Halving: a host gives away the half of its range that is its partner's, and goes on with the other. Doubling: it
// gives what it has, and has twice as much.
void halving_doubling(Builder& out, const Hosts& hosts, std::int64_t size) {
  const auto n = static_cast<std::uint32_t>(hosts.size());
  using Range = std::pair<std::int64_t, std::int64_t>;
  std::vector<std::vector<Range>> ranges{std::vector<Range>(n, {0, size})};  // by level, then host
  std::vector<std::uint32_t> last(n);
  std::vector<std::uint32_t> now(n);
  for (std::uint32_t distance = n / 2; distance > 0; distance /= 2) {
    const auto& have = ranges.back();
    std::vector<Range> keep(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto [low, high] = have[i];
      const std::int64_t middle = low + (high - low) / 2;
      const bool lower = (i & distance) == 0;
      keep[i] = lower ? Range{low, middle} : Range{middle, high};
      const Bytes given{lower ? high - middle : middle - low};
      const std::uint32_t partner = hosts[i ^ distance];
      now[i] = distance == n / 2 ? out.first(hosts[i], partner, given)
                                 : out.after(last[i ^ (2 * distance)], hosts[i], partner, given);
    }
    ranges.push_back(std::move(keep));
    last.swap(now);
  }
  for (std::uint32_t distance = 1; distance < n; distance *= 2) {
    const auto& have = ranges.back();
    const std::uint32_t before = distance == 1 ? 1 : distance / 2;
    for (std::uint32_t i = 0; i < n; ++i)
      now[i] = out.after(last[i ^ before], hosts[i], hosts[i ^ distance], {have[i].second - have[i].first});
    ranges.pop_back();
    last.swap(now);
  }
}

// Of a source with so many messages, most of which follow from the value of `key`.
void check_count(double messages, std::string key) {
  if (messages > kMaxNodes)
    throw InputError(std::move(key),
                     fmt::format("that would be {:.0f} messages; at most {} are possible", messages, kMaxNodes));
}

}  // namespace

Program make_collective(const Collective& c, const Context& context) {
  Hosts hosts = parse_hosts(c.hosts, "hosts", context);
  check_size(c.size);
  const auto n = static_cast<std::uint32_t>(hosts.size());
  if (n < 2) throw InputError("hosts", fmt::format("'{}' is {} host(s); a collective needs at least 2", c.hosts, n));
  if (c.operation == Operation::halving_doubling_all_reduce && !std::has_single_bit(n))
    throw InputError("hosts", fmt::format("'{}' are {} hosts; halving and doubling needs a power of 2", c.hosts, n));
  if (c.size.count / c.chunks < n)
    throw InputError(
        "size", fmt::format("{} is out of range; {} hosts and {} chunk(s) need at least {}", format_value(c.size), n,
                            c.chunks, format_value(Bytes{static_cast<std::int64_t>(c.chunks) * n})));
  const double hosts_as_double = n;
  const double steps = c.operation == Operation::halving_doubling_all_reduce ? 2.0 * std::countr_zero(n)
                       : c.operation == Operation::ring_all_reduce           ? 2 * (hosts_as_double - 1)
                                                                             : hosts_as_double - 1;
  check_count(steps * hosts_as_double * c.chunks, "hosts");
  hosts = place(hosts, c.placement, 1, context);

  Builder out(context, c.start, c.step_delay);
  for (std::uint32_t chunk = 0; chunk < c.chunks; ++chunk) {
    const std::int64_t size = part(c.size.count, chunk, c.chunks).count;
    switch (c.operation) {
      case Operation::ring_all_reduce: ring(out, hosts, size, 2 * (n - 1)); break;
      case Operation::ring_reduce_scatter:
      case Operation::ring_all_gather: ring(out, hosts, size, n - 1); break;
      case Operation::all_to_all: all_to_all(out, hosts, size); break;
      case Operation::halving_doubling_all_reduce: halving_doubling(out, hosts, size); break;
    }
  }
  return out.build();
}

Program make_hsdp(const Hsdp& h, const Context& context) {
  Hosts hosts = parse_hosts(h.hosts, "hosts", context);
  const auto n = static_cast<std::uint32_t>(hosts.size());
  if (h.group < 1 || n % h.group != 0 || n / h.group < 2)
    throw InputError("group",
                     fmt::format("{} does not fit {} hosts; they must be at least two whole groups", h.group, n));
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
