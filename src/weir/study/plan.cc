#include "weir/study/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <utility>

#include "weir/base/text.h"
#include "weir/base/text_file.h"
#include "weir/scenario/perturbation.h"
#include "weir/study/selection.h"
#include "weir/toml/parser.h"

namespace weir::study {
namespace {

using scenario::Value;

constexpr std::size_t kMaxName = 200;  // file systems take 255 bytes, and .partial-<pid> follows

// The file that the point's scenario comes from, as the study names it.
const std::string& scenario_name(const Study& study, const Point& point, Where& where) {
  const std::string* name = &study.scenario;
  where = study.scenario_where;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const AxisPoint& p = study.axes[i].points[point[i]];
    if (p.scenario.empty()) continue;
    name = &p.scenario;
    where = p.where;
  }
  return *name;
}

std::string path_of(const Study& study, const std::string& name) {
  return (std::filesystem::path(study.folder) / name).lexically_normal().string();
}

// No name begins with a dot: it would be hidden.
std::string run_name(const Study& study, const Point& point, std::uint64_t seed, std::uint32_t perturbation) {
  std::string out;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const std::string name = file_name(study.axes[i].points[point[i]].label);
    out += (i == 0 && name.starts_with('.') ? "_" : "") + name + "+";
  }
  out += fmt::format("seed{}", seed);
  if (perturbation > 0) out += fmt::format("+perturbed{}", perturbation);
  if (out.size() > kMaxName)
    throw InputError(study.where,
                     fmt::format("point {}: its labels are too long for the name of a directory; write shorter ones",
                                 study.describe(point)));
  return out;
}

Value document_of(const Plan& plan, const Point& point) {
  Where where;
  return plan.documents.at(scenario_name(plan.study, point, where));
}

bool is_text(const Value* value, std::string_view text) {
  const auto* is = value == nullptr ? nullptr : value->as<std::string>();
  return is != nullptr && *is == text;
}

// [algorithm], and each [[profile]].
void set_in_profiles(Value& document, const ProfileOverride& o) {
  auto* root = document.as<scenario::Table>();
  if (root == nullptr) return;
  const auto set = [&](Value* table, std::string_view named_by, const std::string& path) {
    const auto* entries = table == nullptr ? nullptr : table->as<scenario::Table>();
    if (entries != nullptr && is_text(entries->find(named_by), o.algorithm))
      scenario::set_key(document, scenario::join(path, o.key), o.value);
  };
  set(root->find("algorithm"), "name", "algorithm");
  Value* profiles = root->find("profile");
  auto* list = profiles == nullptr ? nullptr : profiles->as<scenario::List>();
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
    set(&(*list)[i], "algorithm", fmt::format("profile.{}", i));
}

scenario::Scenario load(const Plan& plan, const Point& point, const std::uint64_t* seed,
                        std::uint32_t perturbation = 0) {
  const Study& study = plan.study;
  Where named;
  const std::string& name = scenario_name(study, point, named);
  try {
    Value document = document_of(plan, point);
    const auto apply = [&](const Override& o) { scenario::set_key(document, o.key, o.value); };
    for (const Override& o : study.set) apply(o);
    for (std::size_t i = 0; i < point.size(); ++i)
      for (const Override& o : study.axes[i].points[point[i]].set) apply(o);
    for (const ProfileOverride& o : study.of_profiles) set_in_profiles(document, o);
    for (const std::string& assignment : study.assignments) scenario::apply_override(document, assignment);
    if (seed != nullptr) scenario::set_key(document, "run.seed", Value{study.where, static_cast<std::int64_t>(*seed)});
    if (perturbation > 0)
      scenario::set_key(document, "run.perturbation", Value{study.where, static_cast<std::int64_t>(perturbation)});
    return scenario::read_scenario(document, name.empty() ? study.file : path_of(study, name));
  } catch (const InputError& error) {
    throw study.error_at(point, error);
  }
}

void read_documents(Plan& plan) {
  const Study& study = plan.study;
  if (study.inlined) plan.documents.emplace("", *study.inlined);
  for (const Point& point : plan.points) {
    Where where;
    const std::string& name = scenario_name(study, point, where);
    if (name.empty() || plan.documents.count(name) > 0) continue;
    const std::string path = path_of(study, name);
    std::string text;
    try {
      text = read_document(path, "a scenario, a TOML file");
    } catch (const InputError& error) {
      throw scenario::key_error(
          where, where.line == study.scenario_where.line ? "study.scenario" : "axis.point.scenario", error.what());
    }
    plan.documents.emplace(name, scenario::parse_toml(text, path));
  }
}

// An axis over run.seed beside seeds, of which one would take the place of the other; figures of a seed that is not
// run.
void check_seeds(const Study& study) {
  if (study.seeds.empty()) return;
  for (const Axis& axis : study.axes)
    for (const AxisPoint& point : axis.points)
      for (const Override& o : point.set)
        if (o.key == "run.seed")
          throw scenario::key_error(point.where, "axis",
                                    "it sets run.seed, and so do the study's seeds; write one of them");
  for (const FigureSpec& f : study.figures) {
    const auto seed = static_cast<std::uint64_t>(f.params.seed);
    if (f.params.seed >= 0 && std::find(study.seeds.begin(), study.seeds.end(), seed) == study.seeds.end())
      throw scenario::key_error(f.where, "figure.seed", fmt::format("{} is none of the study's seeds", seed));
  }
}

// None, which is 0, and those by which something changes at some point.
std::vector<std::uint32_t> perturbations_of(const Plan& plan) {
  std::vector<std::uint32_t> out{0};
  for (std::uint32_t number = 1; plan.study.perturbed && number <= scenario::kPerturbations; ++number)
    if (std::any_of(plan.points.begin(), plan.points.end(),
                    [&](const Point& point) { return load(plan, point, nullptr, number).perturbed; }))
      out.push_back(number);
  return out;
}

}  // namespace

scenario::Scenario Plan::scenario(std::size_t run) const {
  const PlannedRun& planned = runs[run];
  return load(*this, points[planned.point], study.seeds.empty() ? nullptr : &planned.seed, planned.perturbation);
}

std::string Plan::describe(std::size_t run) const {
  const auto point = study.describe(points[runs[run].point]);
  const std::uint32_t p = runs[run].perturbation;
  return fmt::format("{}{}seed {}{}", point, point.empty() ? "" : ", ", runs[run].seed,
                     p == 0 ? "" : ", " + scenario::perturbation_text(p));
}

std::size_t Plan::base_of(std::size_t run, const Measure& measure) const {
  const Point base = study.moved(points[runs[run].point], measure.against);
  const auto point = static_cast<std::size_t>(std::find(points.begin(), points.end(), base) - points.begin());
  return point * seeds + run % seeds;
}

std::vector<std::string> Plan::scenario_files() const {
  std::vector<std::string> out;
  for (const auto& document : documents)
    if (!document.first.empty()) out.push_back(document.first);
  return out;
}

std::vector<std::string> Plan::kept_files() const {
  std::set<std::string> out{"scenario.toml", "manifest.json", "summary.json", "measures.json"};
  for (const FigureSpec& f : study.figures)
    if (!f.file().empty()) out.insert(f.file());
  if (study.keep) {
    out.insert(study.keep->begin(), study.keep->end());
  } else {
    for (const Measure& m : study.measures) out.insert(m.file());
  }
  for (const Measure& m : study.measures)  // whose other runs may be still to come
    if (m.is_of_pairs()) out.insert(m.file());
  return {out.begin(), out.end()};
}

bool runs_algorithm(const Plan& plan, std::string_view name) {
  for (std::size_t run = 0; run < plan.runs.size(); run += plan.seeds) {
    const scenario::Scenario s = plan.scenario(run);
    for (const auto& profile : s.profiles)
      if (profile.algorithm->about.name == name) return true;
  }
  return false;
}

Plan make_plan(Study study) {
  check_seeds(study);
  Plan plan;
  plan.study = std::move(study);
  plan.points = plan.study.points();
  read_documents(plan);
  const std::vector<std::uint32_t> perturbations = perturbations_of(plan);
  const bool has_seeds = !plan.study.seeds.empty();
  plan.seeds = has_seeds ? plan.study.seeds.size() : perturbations.size();
  for (std::size_t i = 0; i < plan.points.size(); ++i)
    for (std::size_t j = 0; j < plan.seeds; ++j) {
      const auto* seed = has_seeds ? &plan.study.seeds[j] : nullptr;
      const std::uint32_t perturbation = has_seeds ? 0 : perturbations[j];
      const std::uint64_t number = load(plan, plan.points[i], seed, perturbation).run.seed;
      plan.runs.push_back({run_name(plan.study, plan.points[i], number, perturbation), i, number, perturbation});
    }
  return plan;
}

std::vector<std::size_t> runs_with(const Plan& plan, const std::string& only) {
  const WantedLabels wanted = parse_only(only, plan.study.axis_labels());
  std::vector<std::size_t> out;
  for (std::size_t run = 0; run < plan.runs.size(); ++run)
    if (passes(wanted, plan.study.labels_of(plan.points[plan.runs[run].point]))) out.push_back(run);
  return out;
}

std::string without_numbers(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

std::vector<Notice> notices_of(const Plan& plan, const std::vector<PointWarnings>& warnings) {
  struct Alike {
    std::string kind;
    std::string text;
    std::size_t first = 0;         // point
    std::set<std::size_t> places;  // of the points, in `labels`
    bool numbers_differ = false;
    bool unused = false;
  };
  std::vector<Alike> all;
  std::vector<std::vector<std::string>> labels;
  for (const auto& [point, texts, unused] : warnings) {
    for (const std::string& text : texts) {
      const std::string kind = without_numbers(text);
      auto known = std::find_if(all.begin(), all.end(), [&](const Alike& a) { return a.kind == kind; });
      if (known == all.end()) known = all.insert(all.end(), {kind, text, point, {}});
      known->places.insert(labels.size());
      known->numbers_differ = known->numbers_differ || known->text != text;
      known->unused = known->unused || std::find(unused.begin(), unused.end(), text) != unused.end();
    }
    labels.push_back(plan.study.labels_of(plan.points[point]));
  }
  std::vector<Notice> out;
  for (Alike& a : all) {
    if (a.unused && a.places.size() < plan.points.size()) continue;
    std::string points = describe_points(plan.study.axis_labels(), labels, a.places);
    if (a.numbers_differ) points += fmt::format("; these numbers are of {}", plan.study.describe(plan.points[a.first]));
    out.push_back({std::move(a.text), std::move(points)});
  }
  return out;
}

Shard parse_shard(const std::string& text) {
  Shard out;
  if (text.empty()) return out;
  const auto* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, out.i);
  const bool slash = first.ec == std::errc{} && first.ptr != end && *first.ptr == '/';
  const auto second = slash ? std::from_chars(first.ptr + 1, end, out.n) : first;
  if (!slash || second.ec != std::errc{} || second.ptr != end || out.i < 1 || out.i > out.n)
    throw InputError(
        fmt::format("--shard: '{}' is no share; write i/n, like 1/4 for the first of four", one_line(text)));
  return out;
}

std::vector<std::size_t> shard_of(const std::vector<std::size_t>& runs, const Shard& shard) {
  std::vector<std::size_t> out;
  for (const std::size_t run : runs)
    if (run % shard.n == shard.i - 1) out.push_back(run);
  return out;
}

}  // namespace weir::study
