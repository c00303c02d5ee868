#include "weir/run/output_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>

#include "weir/base/error.h"
#include "weir/probe/link_probe.h"
#include "weir/probe/port_choice.h"
#include "weir/probe/queue_probe.h"

namespace weir::run {
namespace {

namespace fs = std::filesystem;

constexpr double kMostBytes = 1e18;
// What a line has beside time, port and its two nodes: commas, the end, and the value of an idle port or link.
constexpr double kQueueLine = 6;
constexpr double kLinkLine = 8;

double digits(double number) { return std::floor(std::log10(std::max(number, 1.0))) + 1; }

// Bytes of the numbers that the lines of all series begin with.
double bytes_of_place(const net::Topology& topology, Time end) {
  return digits(static_cast<double>(end.ps)) + digits(topology.ports()) + 2 * digits(topology.nodes());
}

SeriesSize size_of(const char* file, const char* probe, std::size_t ports, Time span, Time interval, double line) {
  const double rows = std::floor(std::max(0.0, span.seconds() / interval.seconds())) * static_cast<double>(ports);
  return {file, probe, static_cast<std::uint64_t>(std::min(rows, kMostBytes)),
          static_cast<std::uint64_t>(std::min(rows * line, kMostBytes))};
}

// The time that it takes all hosts' links together to send everything.
Time sending_time(const engine::Model& model, const scenario::Expected& expected) {
  double bits_per_second = 0;
  for (const net::Link& link : model.topology.links)
    if (std::min(link.a, link.b) < model.topology.hosts)
      bits_per_second += static_cast<double>(link.rate.bits_per_second);
  const double seconds = static_cast<double>(expected.payload.count) * 8 * expected.of_all / bits_per_second;
  constexpr double kMostSeconds = 1e6;  // s
  return Time{static_cast<std::int64_t>(std::min(seconds, kMostSeconds) * 1e12)};
}

std::string bytes_text(std::uint64_t bytes) {
  const auto n = static_cast<double>(bytes);
  return n < 1e9 ? fmt::format("{:.3f} MB", n * 1e-6) : fmt::format("{:.1f} GB", n * 1e-9);
}

}  // namespace

std::uint64_t OutputSize::bytes() const {
  std::uint64_t out = 0;
  for (const SeriesSize& s : series) out += s.bytes;
  return out;
}

std::string OutputSize::text(std::uint64_t bytes) const {
  return fmt::format("{} {}", to_stop ? "up to" : "at least", bytes_text(bytes));
}

OutputSize output_size(const scenario::Scenario& s, const engine::Model& model, const scenario::Expected& expected) {
  OutputSize out;
  out.to_stop = s.run.stop > Time{};
  const Time end = out.to_stop ? s.run.stop : std::max(expected.last_start, sending_time(model, expected));
  const double place = bytes_of_place(model.topology, end);
  const auto ports = [&](const std::string& choice) -> std::size_t {
    try {
      return probe::choose_ports(model.topology, choice).size();
    } catch (const InputError&) {
      return 0;  // build() tells what is wrong with the list, and where
    }
  };
  if (const auto* q = s.probes.get<probe::QueuesParams>(); q != nullptr && q->series) {
    const Time stop = q->stop > Time{} ? std::min(q->stop, end) : end;
    out.series.push_back(size_of("queues.csv", "queues", ports(q->ports), stop - std::min(q->start, stop), q->interval,
                                 place + kQueueLine));
  }
  if (const auto* l = s.probes.get<probe::LinksParams>(); l != nullptr && l->series)
    out.series.push_back(size_of("link_series.csv", "links", ports(l->ports), end, l->interval, place + kLinkLine));
  return out;
}

std::uint64_t space_left(const std::string& directory) {
  std::error_code error;
  fs::path at = fs::absolute(directory, error);
  while (!error && !fs::exists(at, error) && at.has_relative_path()) at = at.parent_path();
  const fs::space_info space = fs::space(at, error);
  return error ? std::numeric_limits<std::uint64_t>::max() : space.available;
}

std::string size_warning(const OutputSize& size, std::uint64_t left) {
  const std::uint64_t bytes = size.bytes();
  if (bytes <= kMuchOutput && bytes <= left) return "";
  std::string files;
  for (const SeriesSize& s : size.series)
    files += fmt::format("{}{} with {} rows (probes.{})", files.empty() ? "" : " and ", s.file, s.rows, s.probe);
  return fmt::format(
      "{} will take {} on disk, as estimated{}; fewer ports, a longer interval, or series = false make it "
      "less",
      files, size.text(bytes), bytes > left ? fmt::format(", and {} are left", bytes_text(left)) : "");
}

}  // namespace weir::run
