#include "weir/report/flows.h"

#include <cmath>
#include <map>
#include <span>

#include "weir/report/read.h"

namespace weir::report {

Flows read_flows(const Run& run) {
  Flows out;
  std::map<std::string, std::uint32_t> algorithms;
  std::map<std::string, std::uint32_t> tags;
  const auto index = [](std::map<std::string, std::uint32_t>& of, std::vector<std::string>& names,
                        const std::string& name) {
    const auto [at, is_new] = of.emplace(name, static_cast<std::uint32_t>(of.size()));
    if (is_new) names.push_back(name);
    return at->second;
  };
  const CsvTable table = run.table("flows.csv");
  table.each({"size_bytes", "start_ps", "finish_ps", "fct_ps", "slowdown", "text:algorithm", "text:tag"},
             [&](std::span<const double> v, std::span<const std::string> t) {
               if (std::isnan(v[2])) return;
               out.size.push_back(v[0]);
               out.start.push_back(v[1]);
               out.finish.push_back(v[2]);
               out.fct.push_back(v[3]);
               out.slowdown.push_back(v[4]);
               out.algorithm.push_back(index(algorithms, out.algorithms, t[5]));
               out.tag.push_back(index(tags, out.tags, t[6]));
             });
  return out;
}

}  // namespace weir::report
