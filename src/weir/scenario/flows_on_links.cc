#include "weir/scenario/flows_on_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "weir/base/params.h"
#include "weir/base/suggestion.h"
#include "weir/toml/parser.h"
#include "weir/toml/reader.h"

namespace weir::scenario {
namespace {

struct LinkEntry {
  std::string name;
  Rate capacity{100'000'000'000};

  static void describe(ParamList<LinkEntry>& p) {
    p.text("name", &LinkEntry::name, "by which flows name it").required = true;
    Param& capacity = p.rate("capacity", &LinkEntry::capacity, "what its flows share", "", Rate{1'000});
    capacity.required = true;
  }
};

struct FlowEntry {
  std::string name;
  double weight = 1;
  Rate start;

  static void describe(ParamList<FlowEntry>& p) {
    p.text("name", &FlowEntry::name, "for the output");
    p.number("weight", &FlowEntry::weight, 1e-6, 1e6, "how many flows it stands for");
    p.rate("start", &FlowEntry::start, "where recursions begin; 0 = the least capacity on its path");
  }
};

// What a list has by name; each name once.
class Names {
 public:
  void add(const TableReader& entry, const std::string& name) {
    const auto [first, is_new] = index_.emplace(name, std::pair{list_.size(), entry.place("name").line});
    if (!is_new)
      throw entry.error_at("name",
                           fmt::format("'{}' a second time; line {} has it already", name, first->second.second));
    list_.push_back(name);
  }
  // Its index, or the size if there is none.
  std::size_t find(const std::string& name) const {
    const auto known = index_.find(name);
    return known == index_.end() ? list_.size() : known->second.first;
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::vector<std::string> list_;
  std::map<std::string, std::pair<std::size_t, int>> index_;  // and the line
};

std::vector<std::uint32_t> links_of(const TableReader& flow, const Names& links) {
  const Value* value = flow.find("links");
  const auto* list = value == nullptr ? nullptr : value->as<List>();
  if (list == nullptr || list->empty())
    throw flow.error_at("links", "write a list of at least one name of a link, like [\"a\", \"b\"]");
  std::vector<std::uint32_t> out;
  for (const Value& item : *list) {
    const std::string key = join(flow.path(), "links");
    const auto* name = item.as<std::string>();
    if (name == nullptr)
      throw key_error(item.where, key, fmt::format("it has {}; write names in quotes", item.type_name()));
    const auto i = static_cast<std::uint32_t>(links.find(*name));
    if (i == links.list().size())
      throw key_error(item.where, key, fmt::format("unknown link '{}'{}", *name, did_you_mean(*name, links.list())));
    if (std::find(out.begin(), out.end(), i) != out.end())
      throw key_error(item.where, key, fmt::format("'{}' a second time; a flow crosses a link once", *name));
    out.push_back(i);
  }
  return out;
}

}  // namespace

FlowsOnLinks parse_flows_on_links(std::string_view text, const std::string& file) {
  const Value root = parse_toml(text, file);
  const TableReader top(root, "");
  top.allow_only({"link", "flow"});
  FlowsOnLinks out;

  Names links;
  for (const TableReader& entry : top.tables("link")) {
    LinkEntry link;
    entry.read(params_of<LinkEntry>(), &link);
    links.add(entry, link.name);
    out.network.capacities.push_back(static_cast<double>(link.capacity.bits_per_second));
  }
  Names flows;
  for (const TableReader& entry : top.tables("flow")) {
    FlowEntry flow;
    entry.read(params_of<FlowEntry>(), &flow, {"links"});
    flows.add(entry, flow.name.empty() ? fmt::format("{}", flows.list().size()) : flow.name);
    out.network.flows.push_back({links_of(entry, links), flow.weight});
    auto start = static_cast<double>(flow.start.bits_per_second);
    if (start == 0) {
      start = std::numeric_limits<double>::infinity();
      for (const auto i : out.network.flows.back().links) start = std::min(start, out.network.capacities[i]);
    }
    out.start.push_back(start);
  }
  if (out.network.flows.empty())
    throw InputError(Where{file, 0},
                     "no flow; write at least one [[link]] with name and capacity, and one [[flow]] with its links");
  out.links = links.list();
  out.flows = flows.list();
  return out;
}

}  // namespace weir::scenario
