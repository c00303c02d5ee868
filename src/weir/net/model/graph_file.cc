#include "weir/net/model/graph_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/suggestion.h"
#include "weir/base/text.h"
#include "weir/net/model/planes.h"

namespace weir::net {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::array<std::string_view, 5> kKeywords{"hosts", "switches", "ports", "hosts_per_server", "link"};

Words split(std::string_view line) {
  line = line.substr(0, line.find('#'));
  constexpr std::string_view kSpace = " \t\r\v\f";
  Words out;
  for (;;) {
    const std::size_t begin = line.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return out;
    const std::size_t end = std::min(line.find_first_of(kSpace, begin), line.size());
    out.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

class Parser {
 public:
  explicit Parser(const std::string& file) : where_{file, 0} {}

  void line(std::string_view text) {
    ++where_.line;
    words_ = split(text);
    if (words_.empty()) return;
    at_ = 1;
    if (words_[0] == "hosts") {
      count("hosts", topology_.hosts, 2, kMaxHosts);
      line_of_hosts_ = where_.line;
    } else if (words_[0] == "switches") {
      count("switches", topology_.switches, 1, kMaxSwitches);
    } else if (words_[0] == "ports") {
      count("ports", ports_, 1, kMaxHostPorts);
    } else if (words_[0] == "hosts_per_server") {
      count("hosts_per_server", hosts_per_server_, 1, kMaxHosts);
    } else if (words_[0] == "link") {
      link();
    } else {
      throw InputError(where_, fmt::format("unknown keyword '{}'{}; valid is {}", one_line(words_[0], kQuoted),
                                           did_you_mean(words_[0], {kKeywords.begin(), kKeywords.end()}),
                                           fmt::join(kKeywords, ", ")));
    }
    if (at_ < words_.size())
      throw InputError(where_,
                       fmt::format("'{}' is too much; the line ends before it", one_line(words_[at_], kQuoted)));
  }

  Topology finish() {
    for (const auto& [keyword, value] : {std::pair{"hosts", topology_.hosts}, {"switches", topology_.switches}})
      if (value == 0)
        throw InputError(Where{where_.file, 0}, fmt::format("no '{}' line; write one like \"{} 4\"", keyword, keyword));
    topology_.name = where_.file;
    topology_.hosts_per_server = std::max(1u, hosts_per_server_);
    try {
      check(topology_);
    } catch (const InputError& e) {
      throw InputError(Where{where_.file, line_of_fault()}, e.what());
    }
    assign_tiers(topology_);
    return std::move(topology_);
  }

 private:
  // The line that is wrong, if a host is: where its first link is, if it cannot reach all others; where hosts are
  // counted, if it has no link. 0 = something else is.
  int line_of_fault() const {
    if (topology_.links.size() + 1 < topology_.nodes()) return 0;
    if (lines_of_host_.size() < topology_.hosts) return line_of_hosts_;
    const auto apart = Planes(topology_).hosts_apart();
    return apart ? lines_of_host_.at(apart->first).front() : 0;
  }

  std::uint32_t number(std::string_view what, std::uint32_t min, std::uint32_t max) {
    if (at_ == words_.size()) throw InputError(where_, fmt::format("{} is missing; valid is {} to {}", what, min, max));
    const std::string_view word = words_[at_++];
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value < min || value > max)
      throw InputError(where_,
                       fmt::format("{} cannot be '{}'; valid is {} to {}", what, one_line(word, kQuoted), min, max));
    return value;
  }

  void count(std::string_view keyword, std::uint32_t& value, std::uint32_t min, std::uint32_t max) {
    if (value != 0) throw InputError(where_, fmt::format("'{}' a second time; it is {} already", keyword, value));
    value = number(fmt::format("the number of {}", keyword), min, max);
  }

  // A number and its unit, as one word or two.
  std::string quantity(std::string_view what, std::string_view example) {
    if (at_ == words_.size())
      throw InputError(where_, fmt::format("the {} is missing; write it like \"{}\"", what, example));
    std::string out(words_[at_++]);
    const bool bare = out.find_first_not_of("0123456789.") == std::string::npos;
    if (bare && at_ < words_.size()) out += fmt::format(" {}", words_[at_++]);
    return out;
  }

  void link() {
    if (topology_.hosts == 0 || topology_.switches == 0)
      throw InputError(where_, "a link before its nodes; write the hosts and switches lines first");
    const std::uint32_t last = topology_.nodes() - 1;
    Link l;
    l.a = number("the first node", 0, last);
    l.b = number("the second node", 0, last);
    const std::string rate = quantity("rate", "100 Gbps");
    const std::string delay = quantity("delay", "1 us");
    try {
      l.rate = parse_rate(rate);
      l.delay = parse_time(delay);
      check_link(topology_, l);
    } catch (const InputError& e) {
      throw InputError(where_, e.what());
    }
    for (const std::uint32_t node : {l.a, l.b}) {
      if (node >= topology_.hosts) continue;
      auto& lines = lines_of_host_[node];
      if (lines.size() < std::max(1u, ports_)) {
        lines.push_back(where_.line);
        continue;
      }
      throw InputError(
          where_, ports_ == 0 ? fmt::format("host {} has a link already, in line {}; hosts have one, or as many as a "
                                            "line like \"ports 2\" before the links says",
                                            node, lines.front())
                              : fmt::format("host {} has as many links already as it has ports, {}, the last in line "
                                            "{}",
                                            node, ports_, lines.back()));
    }
    topology_.links.push_back(l);
  }

  Where where_;
  Words words_;
  std::size_t at_ = 0;
  std::uint32_t ports_ = 0;             // of a host, at most; 0 = no line says so
  std::uint32_t hosts_per_server_ = 0;  // likewise
  int line_of_hosts_ = 0;
  std::unordered_map<std::uint32_t, std::vector<int>> lines_of_host_;  // where its links are
  Topology topology_;
};

}  // namespace

Topology parse_graph(std::string_view text, const std::string& file) {
  Parser parser(file);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    parser.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.finish();
}

bool looks_like_graph(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const Words words = split(text.substr(0, end));
    if (!words.empty())
      return words.size() > 1 && std::find(kKeywords.begin(), kKeywords.end(), words[0]) != kKeywords.end() &&
             words[1][0] >= '0' && words[1][0] <= '9';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

std::string format_graph(const Topology& t) {
  std::string out = fmt::format("hosts {}\nswitches {}\n", t.hosts, t.switches);
  if (const std::uint32_t ports = most_host_ports(t); ports > 1) out += fmt::format("ports {}\n", ports);
  if (t.hosts_per_server > 1) out += fmt::format("hosts_per_server {}\n", t.hosts_per_server);
  for (const Link& l : t.links)
    out += fmt::format("link {} {} {} {}\n", l.a, l.b, format_value(l.rate), format_value(l.delay));
  return out;
}

}  // namespace weir::net
