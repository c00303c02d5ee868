#include "weir/network_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "weir/base/params.h"
#include "weir/base/text.h"
#include "weir/net/model/topologies.h"
#include "weir/probe/port_choice.h"

namespace weir::app {
namespace {

constexpr std::size_t kMostHosts = 40;     // drawn one by one
constexpr std::size_t kMostSwitches = 17;  // in a row
constexpr double kRow = 130;               // from one row to the next
constexpr double kTop = 60;
constexpr double kLeft = 70;      // names of the tiers
constexpr double kBox = 22;       // its height
constexpr double kCrossAt = 0.3;  // of a line's way, the cross of a link that goes down
constexpr double kLetter = 7;
constexpr double kTitleLetter = 8;
constexpr double kGap = 12;
constexpr std::array<const char*, 6> kColours{"#4477aa", "#228833", "#aa3377", "#997700", "#66ccee", "#555555"};
constexpr const char* kPathColour = "#cc3311";
constexpr const char* kDownColour = "#111111";
constexpr const char* kDashes = "5 3";  // of what stands for several
constexpr double kLetterShift = 4;  // of a line's middle to its letters' foot, for no renderer needs to know baselines

// A node, or several that are drawn as one.
struct Box {
  std::vector<std::uint32_t> nodes;
  std::string label;
  bool several = false;
  double x = 0;  // of the middle
  double y = 0;
  double width() const { return kLetter * static_cast<double>(label.size()) + 12; }
};

Box box_of(std::uint32_t node) { return {.nodes = {node}, .label = fmt::format("{}", node)}; }

Box box_of(std::vector<std::uint32_t> nodes, std::string label) {
  return {.nodes = std::move(nodes), .label = std::move(label), .several = true};
}

class Picture {
 public:
  explicit Picture(const NetworkView& view)
      : t_(view.topology), box_of_node_(view.topology.nodes()), events_(link_events(view)) {
    for (const NetworkPaths& paths : view.paths)
      for (const NetworkPath& path : paths.listed)
        for (const std::uint32_t port : path.ports) on_path_.insert(port / 2);
    sort_kinds();
    place_switches();
    place_hosts();
    measure_bows();
    space_out();
  }

  std::string svg() const {
    const std::string drawn = lines();
    const auto entries = legend_entries();
    const double height = row_y(rows_.size() - 1) + 70 + kEntry * static_cast<double>(entries.size());
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        "<text x=\"12\" y=\"24\" font-size=\"14\">{2}</text>\n",
        width_, height, markup(title()));
    out += drawn + boxes() + legend(entries, height);
    return out + "</svg>\n";
  }

 private:
  static constexpr double kEntry = 18;  // height of one of the legend

  struct Line {
    std::vector<std::uint32_t> links;
    bool path = false;
    bool down = false;  // one of them, at some time
  };
  struct Entry {
    std::string text;
    const char* stroke = "";
    double width = 1;
    bool dashed = false;
    bool cross = false;
  };
  using Kind = std::pair<Rate, Time>;

  std::string title() const { return fmt::format("{}{}{}", t_.name, t_.name.empty() ? "" : ": ", net::summary(t_)); }

  // The most frequent first.
  void sort_kinds() {
    std::map<Kind, std::size_t> links;
    for (const net::Link& link : t_.links) ++links[{link.rate, link.delay}];
    fastest_ = links.rbegin()->first.first;
    for (const auto& [kind, count] : links) kinds_.push_back(kind);
    std::stable_sort(kinds_.begin(), kinds_.end(), [&](const auto& x, const auto& y) { return links[x] > links[y]; });
  }

  // Rows of tiers, the highest first; hosts, the last one, are placed afterwards.
  void place_switches() {
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

  // In the order of the boxes above them, those of one box side by side.
  void place_hosts() {
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

  void add(std::vector<std::size_t>& row, Box box) {
    for (const std::uint32_t node : box.nodes) box_of_node_[node] = boxes_.size();
    place_in_row_.push_back(static_cast<double>(row.size()));
    row_of_.push_back(static_cast<std::size_t>(&row - rows_.data()));
    row.push_back(boxes_.size());
    boxes_.push_back(std::move(box));
  }

  void space_out() {
    double widest = 420;
    std::vector<double> wide(rows_.size());
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (const std::size_t b : rows_[r]) wide[r] += boxes_[b].width() + kGap;
      widest = std::max(widest, wide[r]);
    }
    width_ = std::max(kLeft + widest + kGap, 24 + kTitleLetter * static_cast<double>(title().size()));
    for (const Entry& entry : legend_entries())
      width_ = std::max(width_, 72 + kLetter * static_cast<double>(entry.text.size()));
    widest = width_ - kLeft - kGap;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const double room = (widest - wide[r]) / static_cast<double>(std::max<std::size_t>(1, rows_[r].size()));
      double x = kLeft;
      for (const std::size_t b : rows_[r]) {
        boxes_[b].x = x + (boxes_[b].width() + kGap + room) / 2;
        boxes_[b].y = row_y(r);
        x += boxes_[b].width() + kGap + room;
      }
    }
  }

  // The middle of a row. Lines between nodes of the highest one need room above it.
  double row_y(std::size_t row) const { return kTop + highest_bow_ + kRow * static_cast<double>(row) + kBox / 2; }

  // How high a line between two boxes of a row bows over those that stand between them.
  double bow(std::size_t from, std::size_t to) const {
    const double apart = std::abs(place_in_row_[from] - place_in_row_[to]);
    return row_of_[from] != row_of_[to] || apart < 2 ? 0 : std::min(kBox + 8 * apart, kRow / 2);
  }

  // Before boxes are placed.
  void measure_bows() {
    for (const net::Link& link : t_.links)
      if (row_of_[box_of_node_[link.a]] == 0)
        highest_bow_ = std::max(highest_bow_, bow(box_of_node_[link.a], box_of_node_[link.b]));
  }

  // Parallel links are one line.
  std::string lines() const {
    std::map<std::tuple<std::size_t, std::size_t, Kind>, Line> all;
    for (std::uint32_t l = 0; l < t_.links.size(); ++l) {
      const net::Link& link = t_.links[l];
      const auto [from, to] = std::minmax(box_of_node_[link.a], box_of_node_[link.b]);
      Line& line = all[{from, to, Kind{link.rate, link.delay}}];
      line.links.push_back(l);
      line.path = line.path || on_path_.contains(l);
      line.down = line.down || events_.contains(l);
    }
    std::string plain;
    std::string paths;
    std::string marks;  // above all lines
    for (const auto& [key, line] : all) {
      const auto& [from, to, kind] = key;
      if (from == to) continue;
      (line.path ? paths : plain) += one(from, to, kind, line);
      if (line.down) marks += mark(from, to, line);
    }
    return plain + paths + marks;
  }

  std::string one(std::size_t a, std::size_t b, const Kind& kind, const Line& line) const {
    const Box& from = boxes_[a];
    const Box& to = boxes_[b];
    const double up = bow(a, b);
    const double begin = edge(from, to, up);
    const double end = edge(to, from, up);
    const double x = (from.x + to.x) / 2;
    const double y = (begin + end) / 2;
    const bool dashed = from.several || to.several;
    return fmt::format(
        "<path d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\"{}>"
        "<title>{}</title></path>\n",
        from.x, begin, x, y - 2 * up, to.x, end, line.path ? kPathColour : colour(kind),
        stroke(kind) + (line.path ? 1.5 : 0), dashed ? fmt::format(" stroke-dasharray=\"{}\"", kDashes) : "",
        describe(kind, line));
  }

  // That links of a line go down at some time.
  std::string mark(std::size_t a, std::size_t b, const Line& line) const {
    const Box& from = boxes_[a];
    const Box& to = boxes_[b];
    const double up = bow(a, b);
    const double begin = edge(from, to, up);
    const double end = edge(to, from, up);
    // Lines of a regular network meet in their middles, so that a cross there would be on several.
    const double part = up > 0 ? 0.5 : kCrossAt;
    const double cross_x = from.x + part * (to.x - from.x);
    const double cross_y = begin + part * (end - begin) - up;
    return cross(cross_x, cross_y) + numbers(cross_x, cross_y, line);
  }

  // Where a line leaves a box: at its edge, for behind the row's other boxes it would seem to end at one of these.
  static double edge(const Box& box, const Box& other, double up) {
    if (box.y == other.y) return up > 0 ? box.y - kBox / 2 : box.y;
    return box.y + (other.y > box.y ? kBox / 2 : -kBox / 2);
  }

  // Of the links that go down at some time, beside the cross: those that the legend tells of.
  std::string numbers(double x, double y, const Line& line) const {
    std::vector<std::uint32_t> links;
    std::copy_if(line.links.begin(), line.links.end(), std::back_inserter(links),
                 [&](std::uint32_t l) { return events_.contains(l); });
    return fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" font-weight=\"bold\" stroke=\"white\" stroke-width=\"3\" "
        "paint-order=\"stroke\">{} {}</text>\n",
        x + 9, y + kLetterShift, kDownColour, links.size() == 1 ? "link" : "links", number_ranges(links));
  }

  static std::string cross(double x, double y) {
    return fmt::format(
        "<path d=\"M{:.1f} {:.1f}l10 10m0 -10l-10 10\" fill=\"none\" stroke=\"white\" stroke-width=\"5\"/>"
        "<path d=\"M{:.1f} {:.1f}l10 10m0 -10l-10 10\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
        x - 5, y - 5, x - 5, y - 5, kDownColour);
  }

  std::string describe(const Kind& kind, const Line& line) const {
    const std::string alike = fmt::format("{}, {}", format_value(kind.first), format_value(kind.second));
    if (line.links.size() > 4)
      return fmt::format("{} links {}: {}", line.links.size(), number_ranges(line.links), alike);
    std::string out;
    for (const std::uint32_t l : line.links)
      out += fmt::format("{}link {}: a = {}, b = {}, ports {} and {}", out.empty() ? "" : "; ", l, t_.links[l].a,
                         t_.links[l].b, 2 * l, 2 * l + 1);
    out += ", " + alike;
    for (const std::uint32_t l : line.links)
      if (const auto event = events_.find(l); event != events_.end()) out += "; " + event->second;
    return out;
  }

  std::string boxes() const {
    std::string out;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const auto tier = static_cast<std::uint8_t>(rows_.size() - 1 - r);
      const double y = row_y(r);
      out += fmt::format("<text x=\"12\" y=\"{:.1f}\" fill=\"#555\">{}</text>\n", y + kLetterShift,
                         probe::tier_name(tier));
      for (const std::size_t b : rows_[r]) {
        const Box& box = boxes_[b];
        out += fmt::format(
            "<g><title>node{} {}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" rx=\"{}\" "
            "fill=\"{}\" stroke=\"#333\"{}/><text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text></g>\n",
            box.nodes.size() == 1 ? "" : "s", number_ranges(box.nodes), box.x - box.width() / 2, box.y - kBox / 2,
            box.width(), kBox, tier == 0 ? 10 : 2, tier == 0 ? "#f4f4f4" : "#dde8f3",
            box.several ? " stroke-dasharray=\"4 2\"" : "", box.x, box.y + kLetterShift, box.label);
      }
    }
    return out;
  }

  std::vector<Entry> legend_entries() const {
    std::vector<Entry> out;
    for (const Kind& kind : kinds_) {
      const bool others = out.size() + 1 == kColours.size() && kinds_.size() > kColours.size();
      out.push_back(
          {.text = others ? "others" : fmt::format("{}, {}", format_value(kind.first), format_value(kind.second)),
           .stroke = colour(kind),
           .width = stroke(kind)});
      if (others) break;
    }
    if (std::any_of(boxes_.begin(), boxes_.end(), [](const Box& box) { return box.several; }))
      out.push_back({.text = "dashed: several nodes as one box, and their links", .stroke = "#333", .dashed = true});
    if (!on_path_.empty()) out.push_back({.text = "links of the paths", .stroke = kPathColour, .width = 3});
    if (events_.empty()) return out;
    // each of few links, else how many there are
    constexpr std::size_t kMostEvents = 6;
    if (events_.size() <= kMostEvents)
      for (const auto& [link, text] : events_) out.push_back({.text = text, .cross = true});
    else
      out.push_back({.text = fmt::format("{} links go down at some time", events_.size()), .cross = true});
    return out;
  }

  static std::string legend(const std::vector<Entry>& entries, double height) {
    double y = height - kEntry * static_cast<double>(entries.size()) - 4;
    std::string out;
    for (const Entry& entry : entries) {
      if (entry.cross)
        out += cross(32, y);
      else
        out += fmt::format(
            "<line x1=\"12\" y1=\"{0:.1f}\" x2=\"52\" y2=\"{0:.1f}\" stroke=\"{1}\" stroke-width=\"{2:.1f}\"{3}/>", y,
            entry.stroke, entry.width, entry.dashed ? fmt::format(" stroke-dasharray=\"{}\"", kDashes) : "");
      out += fmt::format("<text x=\"60\" y=\"{:.1f}\">{}</text>\n", y + kLetterShift, markup(entry.text));
      y += kEntry;
    }
    return out;
  }

  const char* colour(const Kind& kind) const {
    const auto place = static_cast<std::size_t>(std::find(kinds_.begin(), kinds_.end(), kind) - kinds_.begin());
    return kColours[std::min(place, kColours.size() - 1)];
  }

  double stroke(const Kind& kind) const {
    const double share =
        static_cast<double>(kind.first.bits_per_second) / static_cast<double>(fastest_.bits_per_second);
    return std::max(0.8, 2.2 + 0.5 * std::log2(share));
  }

  const net::Topology& t_;
  std::vector<std::vector<std::size_t>> rows_;  // of boxes, from the top
  std::vector<Box> boxes_;
  std::vector<double> place_in_row_;  // by box
  std::vector<std::size_t> row_of_;   // by box
  double highest_bow_ = 0;            // of lines between nodes of the highest row
  std::vector<std::size_t> box_of_node_;
  std::map<std::uint32_t, std::string> events_;  // in words, of links that go down or up
  std::set<std::uint32_t> on_path_;              // links
  std::vector<Kind> kinds_;
  Rate fastest_;
  double width_ = 0;
};

}  // namespace

std::string network_picture(const NetworkView& view) { return Picture(view).svg(); }

}  // namespace weir::app
