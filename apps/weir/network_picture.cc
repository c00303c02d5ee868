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
#include "weir/network_boxes.h"
#include "weir/probe/port_choice.h"

namespace weir::app {
namespace {

constexpr double kCrossAt = 0.3;  // of a line's way, the cross of a link that goes down
constexpr double kTitleLetter = 8;
constexpr double kServerRoom = 40;  // below GPUs, for the bar of their server and its name
constexpr double kFrame = 6;        // around GPUs
constexpr const char* kScaleUpColour = "#76a12a";
constexpr std::array<const char*, 6> kColours{"#4477aa", "#228833", "#aa3377", "#997700", "#66ccee", "#555555"};
constexpr const char* kPathColour = "#cc3311";
constexpr const char* kDownColour = "#111111";
constexpr const char* kDashes = "5 3";  // of what stands for several
constexpr double kLetterShift = 4;  // of a line's middle to its letters' foot, for no renderer needs to know baselines

class Picture {
 public:
  explicit Picture(const NetworkView& view) : t_(view.topology), boxes_(view.topology), events_(link_events(view)) {
    for (const NetworkPaths& paths : view.paths)
      for (const NetworkPath& path : paths.listed)
        for (const std::uint32_t port : path.ports) on_path_.insert(port / 2);
    sort_kinds();
    double width = 24 + kTitleLetter * static_cast<double>(title().size());
    for (const Entry& entry : legend_entries())
      width = std::max(width, 72 + kLetter * static_cast<double>(entry.text.size()));
    width_ = boxes_.space_out(width);
  }

  std::string svg() const {
    const std::string drawn = lines();
    const auto entries = legend_entries();
    const double height = boxes_.row_y(boxes_.rows().size() - 1) + 70 + (boxes_.has_servers() ? kServerRoom : 0) +
                          kEntry * static_cast<double>(entries.size());
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        "<text x=\"12\" y=\"24\" font-size=\"14\">{2}</text>\n",
        width_, height, markup(title()));
    out += frames() + drawn + boxes() + legend(entries, height);
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

  // Parallel links are one line.
  std::string lines() const {
    std::map<std::tuple<std::size_t, std::size_t, Kind>, Line> all;
    for (std::uint32_t l = 0; l < t_.links.size(); ++l) {
      const net::Link& link = t_.links[l];
      const auto [from, to] = std::minmax({boxes_.of_node(link.a), boxes_.of_node(link.b)});
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
    const NetworkBox& from = boxes_[a];
    const NetworkBox& to = boxes_[b];
    const double up = boxes_.bow(a, b);
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
    const NetworkBox& from = boxes_[a];
    const NetworkBox& to = boxes_[b];
    const double up = boxes_.bow(a, b);
    const double begin = edge(from, to, up);
    const double end = edge(to, from, up);
    // Lines of a regular network meet in their middles, so that a cross there would be on several.
    const double part = up > 0 ? 0.5 : kCrossAt;
    const double cross_x = from.x + part * (to.x - from.x);
    const double cross_y = begin + part * (end - begin) - up;
    return cross(cross_x, cross_y) + numbers(cross_x, cross_y, line);
  }

  // Where a line leaves a box: at its edge, for behind the row's other boxes it would seem to end at one of these.
  static double edge(const NetworkBox& box, const NetworkBox& other, double up) {
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

  // Around the GPUs of each server, with the switch of its scale-up links as a bar.
  std::string frames() const {
    std::string out;
    const std::vector<std::size_t>& row = boxes_.rows().back();
    for (std::size_t first = 0, end = 0; boxes_.has_servers() && first < row.size(); first = end) {
      while (end < row.size() && boxes_[row[end]].server == boxes_[row[first]].server) ++end;
      out += frame(row, first, end);
    }
    return out;
  }

  std::string frame(const std::vector<std::size_t>& row, std::size_t first, std::size_t end) const {
    const NetworkBox& begin = boxes_[row[first]];
    const NetworkBox& last = boxes_[row[end - 1]];
    const double left = begin.x - begin.width() / 2 - kFrame;
    const double wide = last.x + last.width() / 2 + kFrame - left;
    const double foot = begin.y + kBox / 2;
    std::string out = fmt::format(
        "<g><title>{}: nodes {}-{}, joined by scale-up links as well</title><rect x=\"{:.1f}\" y=\"{:.1f}\" "
        "width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\" fill=\"#fafafa\" stroke=\"#999\"/>",
        begin.server, begin.nodes.front(), last.nodes.back(), left, begin.y - kBox / 2 - kFrame, wide,
        kBox + kFrame + kServerRoom);
    for (std::size_t i = first; i < end; ++i)
      out += fmt::format("<path d=\"M{:.1f} {:.1f}v10\" stroke=\"{}\" stroke-width=\"2\"/>", boxes_[row[i]].x, foot,
                         kScaleUpColour);
    return out + fmt::format(
                     "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"6\" fill=\"{}\"/><text x=\"{:.1f}\" "
                     "y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"11\" fill=\"#333\">{}</text></g>\n",
                     left + kFrame, foot + 10, wide - 2 * kFrame, kScaleUpColour, left + wide / 2, foot + 32,
                     begin.server);
  }

  std::string boxes() const {
    std::string out;
    const auto& rows = boxes_.rows();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto tier = static_cast<std::uint8_t>(rows.size() - 1 - r);
      const double y = boxes_.row_y(r);
      out += fmt::format("<text x=\"12\" y=\"{:.1f}\" fill=\"#555\">{}</text>\n", y + kLetterShift,
                         probe::tier_name(tier));
      for (const std::size_t b : rows[r]) {
        const NetworkBox& box = boxes_[b];
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
    if (std::any_of(boxes_.all().begin(), boxes_.all().end(), [](const NetworkBox& box) { return box.several; }))
      out.push_back({.text = "dashed: several nodes as one box, and their links", .stroke = "#333", .dashed = true});
    if (boxes_.has_servers())
      out.push_back({.text = "the switch of a server's scale-up links, such as NVLink, which are not of this network",
                     .stroke = kScaleUpColour,
                     .width = 6});
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
  NetworkBoxes boxes_;
  std::map<std::uint32_t, std::string> events_;  // in words, of links that go down or up
  std::set<std::uint32_t> on_path_;              // links
  std::vector<Kind> kinds_;
  Rate fastest_;
  double width_ = 0;
};

}  // namespace

std::string network_picture(const NetworkView& view) { return Picture(view).svg(); }

}  // namespace weir::app
