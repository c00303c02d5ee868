#include "weir/study/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "weir/base/version.h"

namespace weir::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxRows = 2000;  // of a curve: more than a screen shows
constexpr std::size_t kMaxCurves = 32;  // of flows or ports of one run

// What a column holds, for people: without the unit, which the axis tells.
std::string label_of_column(const std::string& column) {
  if (column == "jain") return "Jain's index";
  if (column == "fct_ps") return "completion time";
  for (const std::string_view unit : {"_ps", "_bytes", "_bps"})
    if (column.ends_with(unit)) {
      std::string out = column.substr(0, column.size() - unit.size());
      std::replace(out.begin(), out.end(), '_', ' ');
      return out;
    }
  return column;
}

// Points of the study that one series is drawn of.
struct Group {
  std::string name;
  std::vector<std::size_t> points;
};

class Maker {
 public:
  Maker(const Table& table, const std::string& dir, const FigureSpec& spec)
      : table_(table), study_(table.study), dir_(dir), spec_(spec), p_(spec.params) {}

  Figure make() {
    out_.id = p_.id;
    out_.title = p_.title.empty() ? p_.id : p_.title;
    out_.caption = p_.caption;
    const std::string_view kind = spec_.kind->name;
    if (spec_.kind->over_axis) over_axis();
    if (kind == "slowdown-by-size") by_size();
    if (kind == "cdf") distribution();
    if (kind == "series") over_time();
    if (kind == "scatter") scatter();
    if (kind == "stack") stack();
    if (kind == "start-finish") start_finish();
    if (!p_.series.empty() && study_.axes[study_.axis(p_.series)].is_numeric()) out_.legend = in_words(p_.series);
    for (const Printed& printed : spec_.printed) add(printed);
    if (!p_.x_label.empty()) out_.x.label = p_.x_label;
    if (!p_.y_label.empty()) out_.y.label = p_.y_label;
    if (!p_.x_scale.empty() && out_.x.scale != "category") out_.x.scale = p_.x_scale;
    if (!p_.y_scale.empty()) out_.y.scale = p_.y_scale;
    return std::move(out_);
  }

 private:
  bool has(std::size_t point, std::size_t axis, std::size_t label) const { return table_.points[point][axis] == label; }

  std::vector<Group> groups() const {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < table_.points.size(); ++i)
      if (std::all_of(spec_.only.begin(), spec_.only.end(), [&](const auto& o) {
            const std::size_t axis = study_.axis(o.first);
            return has(i, axis, *study_.axes[axis].find(o.second));
          }))
        chosen.push_back(i);
    if (p_.series.empty()) return {{p_.measure.empty() ? p_.column : p_.measure, chosen}};
    std::vector<Group> out;
    const std::size_t axis = study_.axis(p_.series);
    for (std::size_t label = 0; label < study_.axes[axis].points.size(); ++label) {
      Group group{study_.axes[axis].points[label].label, {}};
      for (const std::size_t i : chosen)
        if (has(i, axis, label)) group.points.push_back(i);
      if (!group.points.empty()) out.push_back(std::move(group));
    }
    return out;
  }

  // The done runs of a point that the figure wants.
  std::vector<std::string> run_dirs(const Group& group) const {
    std::vector<std::string> out;
    for (const std::size_t point : group.points)
      for (std::size_t seed = 0; seed < table_.seeds; ++seed) {
        const std::size_t run = point * table_.seeds + seed;
        const bool wanted = p_.seed < 0 || table_.planned[run].seed == static_cast<std::uint64_t>(p_.seed);
        if (wanted && table_.runs[run].status == Record::Status::done)
          out.push_back(fmt::format("{}/runs/{}", dir_, table_.planned[run].name));
      }
    return out;
  }

  void push(FigureSeries& series, double x, const std::optional<Interval>& y) const {
    series.x.push_back(x);
    series.y.push_back(y ? y->mean : kNoValue);
    if (table_.seeds < 2) return;
    series.low.push_back(y ? y->low : kNoValue);
    series.high.push_back(y ? y->high : kNoValue);
  }

  void over_axis() {
    const Measure& m = *study_.measure(p_.measure);
    const auto measure = static_cast<std::size_t>(&m - study_.measures.data());
    const std::size_t x_axis = study_.axis(p_.x);
    const Axis& axis = study_.axes[x_axis];
    const bool bars = spec_.kind->name == "bars";
    out_.kind = bars ? "bars" : "lines";
    out_.x = {in_words(axis.name), bars ? "1" : axis.unit, bars ? "category" : "linear", {}};
    if (bars)
      for (const AxisPoint& point : axis.points) out_.x.categories.push_back(point.label);
    out_.y = {in_words(m.name()), m.unit(), "linear", {}};
    for (const Group& group : groups()) {
      FigureSeries series;
      series.name = group.name;
      for (std::size_t label = 0; label < axis.points.size(); ++label)
        for (const std::size_t point : group.points)
          if (has(point, x_axis, label))
            push(series, bars ? static_cast<double>(label) : *axis.points[label].x, table_.over_seeds(point, measure));
      out_.series.push_back(std::move(series));
    }
  }

  // "95th percentile" for p95, "latency, 95th percentile" for latency_p95, and spaces in names.
  static std::string in_words(std::string name) {
    if (name == "p50") return "median";
    if (name == "p999") return "99.9th percentile";
    for (const std::string_view p : {"p90", "p95", "p99"}) {
      if (name == p) return name.substr(1) + "th percentile";
      if (!name.ends_with(fmt::format("_{}", p))) continue;
      return fmt::format("{}, {}", in_words(name.substr(0, name.size() - 4)), in_words(std::string(p)));
    }
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
  }

  void by_size() {
    out_.kind = "lines";
    out_.x = {"flow size", "B", "log", {}};
    out_.y = {fmt::format("FCT slowdown, {}", in_words(p_.statistic)), "1", "linear", {}};
    const std::string list = p_.buckets == "size" ? "by_size" : "by_equal_count";
    for (const Group& group : groups()) {
      std::vector<std::vector<double>> sizes;  // by bucket, of each run
      std::vector<std::vector<double>> values;
      for (const auto& dir : run_dirs(group)) {
        const Json summary = RunFiles(dir).document("summary.json");
        const Json& slowdown = summary.at("slowdown");
        if (!slowdown.contains(list))
          fail(spec_.where, fmt::format("figure '{}': {}/summary.json has no {}; set probes.flows.equal_count_buckets",
                                        p_.id, dir, list));
        const Json& buckets = slowdown.at(list);
        sizes.resize(std::max(sizes.size(), buckets.size()));
        values.resize(sizes.size());
        for (std::size_t i = 0; i < buckets.size(); ++i) {
          const Json& value = buckets[i].at(p_.statistic);
          if (value.is_null()) continue;
          const Json& up_to = buckets[i].at("up_to_bytes");
          // the open last bucket is drawn at twice its lower edge
          sizes[i].push_back(up_to.is_null() ? 2 * buckets[i].at("above_bytes").get<double>() : up_to.get<double>());
          values[i].push_back(value.get<double>());
        }
      }
      FigureSeries series;
      series.name = group.name;
      for (std::size_t i = 0; i < sizes.size(); ++i)
        if (!values[i].empty()) push(series, confidence(sizes[i]).mean, confidence(values[i]));
      if (!series.x.empty()) out_.series.push_back(std::move(series));
    }
  }

  void distribution() {
    out_.kind = "steps";
    out_.x = {label_of_column(p_.column), unit_of_column(p_.column), "linear", {}};
    out_.y = {"share up to this", "1", "linear", {}};
    for (const Group& group : groups()) {
      std::vector<Counted> all;
      for (const auto& dir : run_dirs(group)) {
        const RunFiles files(dir);
        if (p_.of == "queues") {
          const auto lengths = queue_lengths(files, p_.tier);
          all.insert(all.end(), lengths.begin(), lengths.end());
        } else {
          for_each_flow(files, p_.filter, p_.column, [&](const FlowRow& row) {
            if (!std::isnan(row.value)) all.push_back({row.value});
          });
        }
      }
      if (!all.empty()) out_.series.push_back(cumulative(group.name, all));
    }
  }

  // One step per value, or so many that they are 1 / kMaxRows high at least.
  static FigureSeries cumulative(const std::string& name, std::vector<Counted>& all) {
    const double total = statistic_of(all, {Statistic::Kind::count});  // sorts
    FigureSeries out;
    out.name = name;
    double before = 0;
    double shown = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      before += all[i].times;
      const bool last = i + 1 == all.size();
      if (!last && all[i + 1].value == all[i].value) continue;
      if (!last && before - shown < total / static_cast<double>(kMaxRows)) continue;
      out.x.push_back(all[i].value);
      out.y.push_back(before / total);
      shown = before;
    }
    return out;
  }

  bool in_span(double time) const {
    return time >= static_cast<double>(p_.filter.from.ps) &&
           (p_.filter.until == Time{} || time < static_cast<double>(p_.filter.until.ps));
  }

  void over_time() {
    out_.kind = "lines";
    out_.x = {"time", "ps", "linear", {}};
    out_.y = {label_of_column(p_.column), unit_of_column(p_.column), "linear", {}};
    for (const Group& group : groups()) {
      const auto dirs = run_dirs(group);
      if (dirs.empty()) continue;
      auto all = curves(RunFiles(dirs.front()));
      for (auto& [of, series] : all) {
        series.name = all.size() == 1 ? group.name : fmt::format("{}, {}", group.name, of);
        thin(series);
        out_.series.push_back(std::move(series));
      }
    }
  }

  // Of one run: one for each port or flow that its file has; the first ones, if they are more than people can tell
  // apart.
  std::map<std::string, FigureSeries> curves(const RunFiles& files) const {
    const std::string of(result_file(p_.file)->of);
    std::map<std::string, FigureSeries> out;
    result::Rows rows = files.rows(p_.file, {"time_ps", p_.column, of.empty() ? "time_ps" : of});
    while (rows.next()) {
      if (!in_span(rows.number(0))) continue;
      const std::string name = of.empty() ? "" : fmt::format("{} {}", of.substr(0, of.find('_')), rows.text(2));
      if (out.size() == kMaxCurves && out.count(name) == 0) continue;
      out[name].x.push_back(rows.number(0));
      out[name].y.push_back(rows.number(1));
    }
    return out;
  }

  // Every k-th row, so that at most kMaxRows are left.
  static void thin(FigureSeries& series) {
    const std::size_t step = (series.x.size() + kMaxRows - 1) / kMaxRows;
    if (step < 2) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < series.x.size(); i += step, ++kept) {
      series.x[kept] = series.x[i];
      series.y[kept] = series.y[i];
    }
    series.x.resize(kept);
    series.y.resize(kept);
  }

  void stack() {
    out_.kind = "stack";
    out_.x = {"time", "ps", "linear", {}};
    out_.y = {"rate", "bit/s", "linear", {}};
    const auto all = groups();
    const auto dirs = run_dirs(all.front());
    if (dirs.empty()) return;
    const RunFiles files(dirs.front());
    std::map<double, std::map<std::int64_t, double>> rates;  // by time and flow
    std::set<std::int64_t> flows;
    result::Rows rows = files.rows("rates.csv", {"time_ps", "flow_id", "rate_bps"});
    while (rows.next()) {
      if (!in_span(rows.number(0))) continue;
      const auto flow = static_cast<std::int64_t>(rows.number(1));
      flows.insert(flow);
      rates[rows.number(0)][flow] = rows.number(2);
    }
    std::size_t i = 0;
    for (const std::int64_t flow : flows) {
      const bool own = flows.size() <= kMaxCurves || i + 1 < kMaxCurves;
      if (own || i + 1 == kMaxCurves) out_.series.push_back({own ? fmt::format("flow {}", flow) : "other flows"});
      FigureSeries& series = out_.series.back();
      series.x.resize(rates.size());
      series.y.resize(rates.size());
      std::size_t row = 0;
      for (const auto& [time, by_flow] : rates) {
        const auto rate = by_flow.find(flow);
        series.x[row] = time;
        series.y[row++] += rate == by_flow.end() ? 0 : rate->second;
      }
      ++i;
    }
    const std::size_t every = (rates.size() + kMaxRows - 1) / kMaxRows;
    if (every < 2) return;
    for (FigureSeries& series : out_.series) {
      average(series.x, every);
      average(series.y, every);
    }
    out_.caption += fmt::format("{}Means of {} intervals.", out_.caption.empty() ? "" : " ", every);
  }

  // Means of runs of neighbouring values, so that what is stacked keeps its sum.
  static void average(std::vector<double>& values, std::size_t every) {
    std::size_t kept = 0;
    for (std::size_t begin = 0; begin < values.size(); begin += every) {
      const std::size_t end = std::min(values.size(), begin + every);
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += values[i];
      values[kept++] = sum / static_cast<double>(end - begin);
    }
    values.resize(kept);
  }

  void scatter() {
    out_.kind = "scatter";
    out_.x = {label_of_column(p_.x_column), unit_of_column(p_.x_column), "linear", {}};
    out_.y = {label_of_column(p_.column), unit_of_column(p_.column), "linear", {}};
    for (const Group& group : groups()) {
      FigureSeries series;
      series.name = group.name;
      for (const auto& dir : run_dirs(group)) {
        const RunFiles files(dir);
        result::Rows rows = files.rows(p_.file, {"time_ps", p_.x_column, p_.column});
        while (rows.next()) {
          if (!in_span(rows.number(0)) || std::isnan(rows.number(1)) || std::isnan(rows.number(2))) continue;
          series.x.push_back(rows.number(1));
          series.y.push_back(rows.number(2));
        }
      }
      thin(series);
      if (!series.x.empty()) out_.series.push_back(std::move(series));
    }
  }

  void start_finish() {
    out_.kind = "scatter";
    out_.x = {"start", "ps", "linear", {}};
    out_.y = {"finish", "ps", "linear", {}};
    for (const Group& group : groups()) {
      FigureSeries series;
      series.name = group.name;
      for (const auto& dir : run_dirs(group))
        for_each_flow(RunFiles(dir), p_.filter, "finish_ps", [&](const FlowRow& row) {
          if (std::isnan(row.value)) return;
          series.x.push_back(row.start);
          series.y.push_back(row.value);
        });
      thin(series);
      if (!series.x.empty()) out_.series.push_back(std::move(series));
    }
  }

  // Readers tell series apart by name, and the authors' have mostly that of ours.
  void add(const Printed& printed) {
    FigureSeries series;
    series.name = printed.series;
    const auto taken = [&](const FigureSeries& s) { return s.name == series.name; };
    while (std::any_of(out_.series.begin(), out_.series.end(), taken)) series.name += ", printed";
    series.printed = true;
    for (const auto& text : printed.x) series.x.push_back(*study_.printed_x(spec_, text));
    series.y = printed.y;
    out_.series.push_back(std::move(series));
  }

  const Table& table_;
  const Study& study_;
  const std::string& dir_;
  const FigureSpec& spec_;
  const FigureParams& p_;
  Figure out_;
};

Json numbers(const std::vector<double>& values) {
  Json out = Json::array();
  // as text first: the same digits on each machine
  for (const double v : values)
    out.push_back(std::isfinite(v) ? Json(std::strtod(number_text(v).c_str(), nullptr)) : Json(nullptr));
  return out;
}

Json axis_json(const FigureAxis& axis) {
  Json out{{"label", axis.label}, {"unit", axis.unit}, {"scale", axis.scale}};
  if (!axis.categories.empty()) out["categories"] = axis.categories;
  return out;
}

}  // namespace

std::vector<Figure> make_figures(const Table& table, const std::string& dir) {
  std::vector<Figure> out;
  for (const FigureSpec& spec : table.study.figures) out.push_back(Maker(table, dir, spec).make());
  return out;
}

std::string to_json(const std::string& title, const std::vector<Figure>& figures) {
  Json list = Json::array();
  for (const Figure& f : figures) {
    Json series = Json::array();
    for (const FigureSeries& s : f.series) {
      Json item{{"name", s.name}, {"x", numbers(s.x)}, {"y", numbers(s.y)}};
      if (!s.low.empty()) item["low"] = numbers(s.low);
      if (!s.high.empty()) item["high"] = numbers(s.high);
      if (s.printed) item["printed"] = true;
      series.push_back(std::move(item));
    }
    list.push_back({{"id", f.id},
                    {"title", f.title},
                    {"caption", f.caption},
                    {"kind", f.kind},
                    {"x", axis_json(f.x)},
                    {"y", axis_json(f.y)},
                    {"series", std::move(series)}});
    if (!f.legend.empty()) list.back()["legend"] = f.legend;
  }
  Json out{{"weir", version()}, {"format", 1}};
  if (!title.empty()) out["title"] = title;
  out["figures"] = std::move(list);
  return out.dump(1) + "\n";
}

}  // namespace weir::study
