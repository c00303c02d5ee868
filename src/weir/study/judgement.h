// What a study or an evaluator (claims/evaluator.h) has found of one claim, and how firmly.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::study {

enum class Answer { undecided, fails, holds };
// "undecided", "fails", "holds".
std::string_view name_of(Answer);
// That of several which must all hold: one that fails decides, and then one that is undecided.
Answer both(Answer, Answer);

// Whether a rule is met, and what that stands on: "9 of 9", or an interval and the number of seeds.
struct Finding {
  Answer answer = Answer::undecided;
  std::string firmness;
  friend bool operator==(const Finding&, const Finding&) = default;
};

// What the same rule is found to be in the second of two worlds, where a paper leaves open which is meant.
struct OtherReading {
  Finding band;
  std::string measured;
};

struct Judgement {
  std::string id;                        // of the claim
  Finding band;                          // by the rule
  std::optional<Finding> literal{};      // by the paper's words taken literally; nothing: the rule is these
  std::string measured;                  // in words: "p95{HPCC} = 2.31; ..."
  std::optional<OtherReading> second{};  // in the second world; mostly nothing
  bool complete = true;  // all that it asks for has been run, and some of it has values; else it does not hold

  bool holds() const { return band.answer == Answer::holds; }
};

}  // namespace weir::study
