#include "weir/study/paper.h"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weir/base/text_file.h"
#include "weir/study/range_text.h"
#include "weir/toml/parser.h"
#include "weir/toml/reader.h"

namespace weir::study {
namespace {

using scenario::TableReader;

// A list of labels, or kAnyLabel.
std::vector<std::string> read_labels(const TableReader& each, const std::string& axis) {
  if (each.find(axis)->as<std::string>() != nullptr && each.text(axis) == kAnyLabel) return {std::string(kAnyLabel)};
  if (each.find(axis)->as<scenario::List>() == nullptr || each.texts(axis).empty())
    throw each.error_at(axis, "must be a list of labels, or \"*\"");
  return each.texts(axis);
}

PaperClaim read_claim(const TableReader& row) {
  row.allow_only({"id", "rule", "literal", "each", "in_share", "show", "note"});
  PaperClaim out;
  out.where = row.where();
  out.id = row.required_text("id", "that of a claim, such as \"A36\"");
  out.rule = {.where = row.place("rule"), .text = row.required_text("rule", "such as \"p95{HPCC} <= 24\"")};
  if (const scenario::Value* share = row.find("in_share")) {
    const auto* number = share->as<double>();
    const auto* whole = share->as<std::int64_t>();
    out.rule.in_share = number != nullptr ? *number : whole != nullptr ? static_cast<double>(*whole) : -1;
    if (!(out.rule.in_share > 0 && out.rule.in_share <= 1))
      throw row.error_at("in_share", "must be a number above 0, up to 1");
  }
  const TableReader each = row.table("each");
  for (const std::string& axis : each.keys()) out.rule.each.emplace_back(axis, read_labels(each, axis));
  if (row.find("literal") != nullptr) {
    out.literal = out.rule;
    out.literal->where = row.place("literal");
    out.literal->text = row.text("literal");
  }
  for (const std::string& text : row.texts("show"))
    out.show.push_back({.where = row.find("show")->where, .text = text, .each = out.rule.each});
  out.note = row.text("note");
  return out;
}

std::string shown(double value) { return std::isnan(value) ? "none" : fmt::format("{:.4g}", value); }

std::string shown(const Labels& labels) {
  std::vector<std::string> out;
  for (const auto& [axis, label] : labels)
    out.push_back(label.find(',') == std::string::npos ? label : fmt::format("\"{}\"", label));
  return fmt::format("{}", fmt::join(out, " and "));
}

// The unit of an expression that is a measure at a point and nothing else, with a blank before it; "" for others.
std::string unit_of(const Rule& expression, const Measurements& measured) {
  const std::string name = expression.text.substr(0, expression.text.find('{'));
  const bool is_all = name == expression.text || expression.text.find('}') + 1 == expression.text.size();
  const Measure* measure = is_all ? measured.study.measure(name) : nullptr;
  if (measure == nullptr || measure->unit() == "1" || measure->unit().empty()) return "";
  return " " + measure->unit();
}

// Tells what expressions have come to: "p95{HPCC} = 2.31 us"; the mean of several values with their range, and of how
// many there are where that was not told before, "p95{HPCC} = 2.31 us (2.1 to 2.6, 3 seeds)"; with `each` "p95{OR} /
// p95{no OR} = 0.81 for DCQCN, 0.9 for TIMELY".
class ShownValues {
 public:
  explicit ShownValues(const Measurements& measured) : measured_(measured) {}

  std::string text(const Rule& expression) {
    const std::string unit = unit_of(expression, measured_);
    std::vector<std::string> out;
    std::set<std::string> different;
    for (const Evaluation& e : evaluate(expression, measured_)) {
      std::string text = shown(e.mean) + unit + range(e);
      different.insert(text);
      if (!e.labels.empty()) text += " for " + shown(e.labels);
      out.push_back(std::move(text));
    }
    if (out.size() > 1 && different.size() == 1)
      out = {
          fmt::format("{} for {}", *different.begin(), out.size() == 2 ? "both" : fmt::format("all {}", out.size()))};
    return fmt::format("{} = {}", expression.text, fmt::join(out, ", "));
  }

 private:
  std::string range(const Evaluation& e) {
    const std::string text = range_text("{}", shown(e.min), shown(e.max));
    if (e.values.size() == 1 || text == shown(e.min)) return "";
    const std::string count =
        fmt::format("{} {}", e.values.size(), e.values.size() == measured_.seeds ? "seeds" : "values");
    if (count == told_) return fmt::format(" ({})", text);
    told_ = count;
    return fmt::format(" ({}, {})", text, count);
  }

  const Measurements& measured_;
  std::string told_;  // the number of values
};

// "true in 9 of 12; not for DCTCP, HPCC"
std::string shown(const RuleOutcome& outcome) {
  std::string out = fmt::format("true in {} of {}", outcome.good, outcome.elements);
  std::vector<std::string> against;
  for (const Labels& labels : outcome.against) against.push_back(shown(labels));
  if (!against.empty()) out += fmt::format("; not for {}", fmt::join(against, ", "));
  return out;
}

PaperFigure read_paper(const TableReader& root) {
  if (root.find("paper") == nullptr) throw root.error_at("paper", "missing; [paper] tells which figure this is");
  const TableReader table = root.table("paper");
  PaperFigure out;
  out.where = table.where();
  table.read(params_of<PaperFigure>(), &out, {"claims"});
  for (const auto& [key, value] : {std::pair{"paper", &out.paper}, {"figure", &out.figure}, {"title", &out.title}})
    if (value->empty()) throw table.error_at(key, "missing");
  if (out.tier != "quick" && out.tier != "full") throw table.error_at("tier", "must be quick or full");
  out.claims = table.texts("claims");
  return out;
}

std::vector<PaperClaim> read_claims(const TableReader& root) {
  std::vector<PaperClaim> out;
  for (const auto& row : root.tables("claim")) {
    PaperClaim claim = read_claim(row);
    for (const PaperClaim& other : out)
      if (other.id == claim.id) throw row.error_at("id", fmt::format("there is a claim '{}' already", claim.id));
    out.push_back(std::move(claim));
  }
  return out;
}

}  // namespace

void PaperFigure::describe(ParamList<PaperFigure>& p) {
  using F = PaperFigure;
  p.text("paper", &F::paper, "hpcc, fairness, onramp, rldc or spraying").required = true;
  p.text("figure", &F::figure, "as the paper numbers it").required = true;
  p.text("title", &F::title, "heading").required = true;
  p.text("place", &F::place, "section of the paper");
  p.text("tier", &F::tier, "quick: in seconds; full: in minutes");
  p.text("note", &F::note, "what differs from the paper");
  p.time("processor_time", &F::processor_time, "of all runs, as it was measured once; 0 = seconds");
  p.text("worlds", &F::worlds,
         "an axis of two points: claims are judged at the first, and again at the second, which is told beside");
  p.flag("counterpart", &F::counterpart, "the paper measured on real hosts; this is a simulation in their place");
}

PaperStudy parse_paper_study(std::string_view text, const std::string& file) {
  const scenario::Value document = scenario::parse_toml(text, file);
  const TableReader root(document, "");
  PaperStudy out{.study = read_study(document, text, file), .figure = read_paper(root), .claims = read_claims(root)};
  const std::string& worlds = out.figure.worlds;
  if (const std::size_t axis = out.study.axis(worlds);
      !worlds.empty() && (axis == out.study.axes.size() || out.study.axes[axis].points.size() != 2))
    throw root.table("paper").error_at("worlds", fmt::format("'{}' is no axis of two points", worlds));
  return out;
}

PaperStudy read_paper_study(const std::string& file) {
  return parse_paper_study(read_document(file, "a study of a paper, a TOML file"), file);
}

Study read_study(const std::string& file) {
  const std::string text = read_document(file, "a study, a TOML file");
  const scenario::Value document = scenario::parse_toml(text, file);
  const TableReader root(document, "");
  if (root.find("paper") != nullptr) read_paper(root);
  read_claims(root);
  return read_study(document, text, file);
}

void check(const PaperClaim& claim, const Measurements& measured) {
  check(claim.rule, measured);
  if (claim.literal) check(*claim.literal, measured);
  for (const Rule& expression : claim.show) check_expression(expression, measured);
}

Judgement judge(const PaperClaim& claim, const Measurements& measured) {
  const bool complete = judge(claim.rule, measured).complete;
  // what is told is of the plain run where others are perturbed
  const Measurements told = measured.study.perturbed ? measured.of_first_runs() : measured;
  const RuleOutcome outcome = judge(claim.rule, told);
  Judgement out{.id = claim.id, .band = {}, .measured = {}, .complete = complete && outcome.missing < outcome.elements};
  ShownValues values(told);
  for (const Rule& expression : claim.show) {
    if (!out.measured.empty()) out.measured += "; ";
    out.measured += values.text(expression);
  }
  if (outcome.elements > 1) out.measured += (out.measured.empty() ? "" : "; ") + shown(outcome);
  if (!out.complete) return out;
  out.band = firmness_of(claim.rule, measured);
  if (claim.literal) out.literal = firmness_of(*claim.literal, measured);
  return out;
}

std::vector<Measurements> worlds_of(const PaperStudy& paper, const Measurements& measured) {
  if (paper.figure.worlds.empty()) return {measured};
  const std::size_t axis = measured.study.axis(paper.figure.worlds);
  return {measured.with(axis, 0), measured.with(axis, 1)};
}

void check_claims(const PaperStudy& paper, const Measurements& measured) {
  const Measurements first = worlds_of(paper, measured).front();
  for (const PaperClaim& claim : paper.claims) check(claim, first);
}

std::vector<Judgement> judge_claims(const PaperStudy& paper, const Measurements& measured) {
  const std::vector<Measurements> worlds = worlds_of(paper, measured);
  std::vector<Judgement> out;
  for (const PaperClaim& claim : paper.claims) {
    Judgement& j = out.emplace_back(judge(claim, worlds.front()));
    if (worlds.size() == 1) continue;
    const Judgement second = judge(claim, worlds.back());
    j.complete = j.complete && second.complete;
    j.second = OtherReading{second.band, second.measured};
  }
  return out;
}

}  // namespace weir::study
