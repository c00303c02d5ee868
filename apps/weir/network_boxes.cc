#include "weir/network_boxes.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "weir/network_listing.h"

namespace weir::app {
namespace {

constexpr std::size_t kMostHosts = 40;     // drawn one by one
constexpr std::size_t kMostSwitches = 17;  // in a row
constexpr double kRow = 130;               // from one row to the next
constexpr double kTop = 60;
constexpr double kLeft = 70;  // names of the tiers
constexpr double kGap = 12;
constexpr double kServerGap = 14;  // more between GPUs of different servers

NetworkBox box_of(std::uint32_t node) { return {.nodes = {node}, .label = fmt::format("{}", node)}; }

NetworkBox box_of(std::vector<std::uint32_t> nodes, std::string label) {
  return {.nodes = std::move(nodes), .label = std::move(label), .several = true};
}

}  // namespace

NetworkBoxes::NetworkBoxes(const net::Topology& topology) : t_(topology), box_of_node_(topology.nodes()) {
  place_switches();
  place_hosts();
  measure_bows();
}

// Rows of tiers, the highest first; hosts, the last one, are placed afterwards.
void NetworkBoxes::place_switches() {
  const auto tiers = nodes_by_tier(t_);
  rows_.resize(tiers.size());
  for (std::size_t tier = 1; tier < tiers.size(); ++tier) {
    const auto& nodes = tiers[tier];
    auto& row = rows_[tiers.size() - 1 - tier];
    const bool all = nodes.size() <= kMostSwitches;
    const auto middle = nodes.begin() + static_cast<std::ptrdiff_t>(all ? nodes.size() : kMostSwitches / 2);
    const auto rest = all ? nodes.end() : nodes.end() - static_cast<std::ptrdiff_t>(kMostSwitches / 2);
    std::for_each(nodes.begin(), middle, [&](std::uint32_t node) { add(row, box_of(node)); });
    if (!all) add(row, box_of({middle, rest}, fmt::format("... {} more ...", rest - middle)));
    std::for_each(rest, nodes.end(), [&](std::uint32_t node) { add(row, box_of(node)); });
  }
}

// In the order of their numbers, one by one or a box for each server.
void NetworkBoxes::place_servers() {
  const std::uint32_t gpus = t_.hosts_per_server;
  const std::uint32_t servers = (t_.hosts + gpus - 1) / gpus;
  const bool one_by_one = t_.hosts <= kMostHosts;
  const auto place = [&](std::uint32_t first, std::uint32_t end) {
    std::vector<std::uint32_t> hosts;
    for (std::uint32_t h = first * gpus; h < std::min(end * gpus, t_.hosts); ++h) hosts.push_back(h);
    const bool one = end - first == 1;
    const std::string name = one ? fmt::format("server {}", first) : fmt::format("servers {}-{}", first, end - 1);
    if (!one_by_one) {
      const std::string label = one ? number_ranges(hosts) : fmt::format("... {} more ...", hosts.size());
      add(rows_.back(), {.nodes = hosts, .label = label, .several = true, .server = name});
      return;
    }
    for (const std::uint32_t h : hosts)
      add(rows_.back(), {.nodes = {h}, .label = fmt::format("{}", h), .server = name});
  };
  const bool all = one_by_one || servers <= kMostSwitches;
  const auto shown = static_cast<std::uint32_t>(all ? servers : kMostSwitches / 2);
  for (std::uint32_t server = 0; server < shown; ++server) place(server, server + 1);
  if (all) return;
  place(shown, servers - shown);
  for (std::uint32_t server = servers - shown; server < servers; ++server) place(server, server + 1);
}

// In the order of the boxes above them, those of one box side by side.
void NetworkBoxes::place_hosts() {
  if (has_servers()) return place_servers();
  std::map<std::size_t, std::vector<std::uint32_t>> of_box;
  for (const net::Link& link : t_.links)
    if (std::min(link.a, link.b) < t_.hosts)
      of_box[box_of_node_[std::max(link.a, link.b)]].push_back(std::min(link.a, link.b));
  std::vector<std::pair<double, std::size_t>> order;
  for (const auto& [box, hosts] : of_box) order.emplace_back(place_in_row_[box], box);
  std::sort(order.begin(), order.end());
  for (const auto& [place, box] : order) {
    auto& hosts = of_box[box];
    std::sort(hosts.begin(), hosts.end());
    if (t_.hosts <= kMostHosts) {
      for (const std::uint32_t host : hosts) add(rows_.back(), box_of(host));
      continue;
    }
    std::string label = boxes_[box].several ? fmt::format("... {} more ...", hosts.size()) : number_ranges(hosts);
    if (label.size() > 16) label = fmt::format("{} hosts", hosts.size());
    add(rows_.back(), hosts.size() == 1 ? box_of(hosts[0]) : box_of(hosts, label));
  }
}

void NetworkBoxes::add(std::vector<std::size_t>& row, NetworkBox box) {
  for (const std::uint32_t node : box.nodes) box_of_node_[node] = boxes_.size();
  place_in_row_.push_back(static_cast<double>(row.size()));
  row_of_.push_back(static_cast<std::size_t>(&row - rows_.data()));
  row.push_back(boxes_.size());
  boxes_.push_back(std::move(box));
}

// Left of the box with this place in its row.
double NetworkBoxes::gap_before(const std::vector<std::size_t>& row, std::size_t place) const {
  return place > 0 && boxes_[row[place]].server != boxes_[row[place - 1]].server ? kServerGap : 0;
}

double NetworkBoxes::space_out(double least_width) {
  double widest = 420;
  std::vector<double> wide(rows_.size());
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t i = 0; i < rows_[r].size(); ++i)
      wide[r] += boxes_[rows_[r][i]].width() + kGap + gap_before(rows_[r], i);
    widest = std::max(widest, wide[r]);
  }
  const double width = std::max(kLeft + widest + kGap, least_width);
  widest = width - kLeft - kGap;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const double room = (widest - wide[r]) / static_cast<double>(std::max<std::size_t>(1, rows_[r].size()));
    double x = kLeft;
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      NetworkBox& box = boxes_[rows_[r][i]];
      x += gap_before(rows_[r], i);
      box.x = x + (box.width() + kGap + room) / 2;
      box.y = row_y(r);
      x += box.width() + kGap + room;
    }
  }
  return width;
}

double NetworkBoxes::row_y(std::size_t row) const {
  return kTop + highest_bow_ + kRow * static_cast<double>(row) + kBox / 2;
}

double NetworkBoxes::bow(std::size_t from, std::size_t to) const {
  const double apart = std::abs(place_in_row_[from] - place_in_row_[to]);
  return row_of_[from] != row_of_[to] || apart < 2 ? 0 : std::min(kBox + 8 * apart, kRow / 2);
}

// Before boxes are placed.
void NetworkBoxes::measure_bows() {
  for (const net::Link& link : t_.links)
    if (row_of_[box_of_node_[link.a]] == 0)
      highest_bow_ = std::max(highest_bow_, bow(box_of_node_[link.a], box_of_node_[link.b]));
}

}  // namespace weir::app
