// The last accepted verdict of each claim: papers/verdicts.json, and verdicts as reports read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/claims/claim.h"
#include "weir/claims/evaluator.h"

namespace weir::claims {

inline constexpr std::string_view kHolds = "holds";
inline constexpr std::string_view kFails = "fails";
inline constexpr std::string_view kUndecided = "undecided";
inline constexpr std::string_view kNotRun = "not run";

// How a claim stands: a claim that fails does so for a cause that an experiment shows, or for none that is known.
enum class Standing : std::uint8_t { holds, undecided, cause_shown, cause_unknown, not_run };

struct Verdict {
  std::string id;
  std::string measured;
  std::string verdict = std::string(kNotRun);  // by the rule: within its band
  std::string firmness;                        // what that stands on; "" = it is not run
  std::string by_words =
      std::string(kNotRun);  // by the literal rule; the same where there is none; may be kNotMeasured
  std::string by_words_firmness;
  std::string reason;  // for what fails, or is not run
  std::string weir;    // the version that judged; "" = not run, or not known
  // By the rule in the second world (Paper::worlds); all "" for claims that are judged in one world alone.
  std::string second;
  std::string second_firmness;
  std::string second_measured;

  bool holds() const { return verdict == kHolds; }
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// One per claim, in the order of claims. A claim that nobody judges is "not run", and why.
class Verdicts {
 public:
  explicit Verdicts(const std::vector<Claim>& claims);

  const std::vector<Verdict>& all() const { return all_; }
  const Verdict& of(std::string_view id) const { return all_[place(id)]; }
  // What an evaluator or a study has found. Why claims fail is only known of studies as their files have them.
  void set(const Judgement& judgement, bool is_as_written = true);
  // What was accepted before.
  void set(Verdict verdict);

 private:
  std::string reason_of(const Verdict& verdict) const;
  std::size_t place(std::string_view id) const;

  const std::vector<Claim>* claims_;
  std::vector<Verdict> all_;
};

Standing standing_of(const Claim& claim, const Verdict& verdict);

// The form of docs/reference/results.md; `only` these, or all.
std::string to_json(const std::vector<Claim>& claims, const Verdicts& verdicts,
                    const std::vector<std::string>& only = {});
// Throws InputError for a file of another format or that has not this form, or names a claim that there is not. Claims
// that it leaves out are "not run", as all are without such a file.
Verdicts read_verdicts(const std::string& file, const std::vector<Claim>& claims);

}  // namespace weir::claims
