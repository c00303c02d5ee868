// An evaluator runs what one or several claims need and judges them by their rules (papers/claims.toml).
//
//   void a16_a_lone_flow_keeps_line_rate(Context& context) {
//     Watch watch(context.scenario("lone-flow.toml"), "2->1");
//     ...
//     context.judge("A16", least >= 0.93, fmt::format("{:.1f} % of line", 100 * least));
//   }
//
// catalogue.cc lists them all. They know nothing of each other, so that any may run at once.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/units.h"
#include "weir/study/judgement.h"

namespace weir::claims {

using study::Judgement;

// What else was measured on the way: the last cells of a row of a table that a document has (document.h).
struct Row {
  std::string document;
  std::string table;
  std::string key;
  std::vector<std::string> cells;
};

// Something that has to be so for any verdict to mean anything is not: an error, neither "holds" nor "fails".
class Unfounded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
inline void require(bool condition, const std::string& otherwise) {
  if (!condition) throw Unfounded(otherwise);
}

// What an evaluator is given, and where it leaves what it finds.
class Context {
 public:
  explicit Context(std::string papers) : papers_(std::move(papers)) {}

  // A file in papers/scenarios; one of the scenarios that come with Weir.
  std::string scenario(std::string_view name) const { return papers_ + "/scenarios/" + std::string(name); }
  std::string example(std::string_view name) const { return papers_ + "/../scenarios/" + std::string(name); }

  void judge(std::string id, bool holds, std::string measured) {
    judgements_.push_back({std::move(id), holds, std::move(measured)});
  }
  void row(Row row) { rows_.push_back(std::move(row)); }

  const std::vector<Judgement>& judgements() const { return judgements_; }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::string papers_;
  std::vector<Judgement> judgements_;
  std::vector<Row> rows_;
};

enum class Tier : std::uint8_t { quick, slow };

struct Evaluator {
  std::vector<std::string> ids;  // exactly those it judges
  Tier tier = Tier::quick;
  double cost_s = 0;  // of one core, about
  void (*run)(Context&) = nullptr;
};

// As the texts have them; never = infinite.
inline double us(Time t) {
  return t == Time::max() ? std::numeric_limits<double>::infinity() : static_cast<double>(t.ps) * 1e-6;
}
template <class T>
double kb(T bytes) {
  return static_cast<double>(bytes) * 1e-3;
}

}  // namespace weir::claims
