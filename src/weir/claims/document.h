// Tables in documents that claims keep true. A table follows a line `<!-- table: NAME -->`.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "weir/claims/claim.h"
#include "weir/claims/evaluator.h"
#include "weir/claims/verdict.h"

namespace weir::claims {

// The text with the table of that name replaced. Throws InputError if the text has no such table; `file` is for the
// message.
std::string with_table(const std::string& text, const std::string& file, const std::string& table,
                       const std::vector<std::string>& lines);
// The text with the last cells of one row replaced, which is named by its first cell.
std::string with_row(const std::string& text, const Row& row);

// docs/evidence/claims.md with its tables written again: `summary`, how many claims of each paper hold, `findings`,
// statements of papers that the evidence speaks against, and one of each paper.
std::string with_overview(const std::string& text, const std::string& file, const std::vector<Claim>& claims,
                          const Verdicts& verdicts);

// The page of a paper in docs/claims with the table `causes` anew: why claims fail. `file` is its name in messages.
std::string with_causes(const std::string& text, const std::string& file, const std::vector<Claim>& claims,
                        const Verdicts& verdicts, const Paper& paper);

// The same with the table `worlds` anew: claims judged in both worlds of their paper (Paper::worlds), which has two.
std::string with_worlds(const std::string& text, const std::string& file, const std::vector<Claim>& claims,
                        const Verdicts& verdicts, const Paper& paper);

// docs/guides/papers.md with the table `costs` anew: of each study what it shows, how many runs it has, and what they
// take.
std::string with_costs(const std::string& text, const std::string& file, const std::vector<FigureFile>& figures);
// "84 s", "5 min"; "seconds" for 0.
std::string cost_text(double seconds);

// How many of a paper's claims stand like this, in the order of the heads. The first one is of all that count; of those
// that hold it is told beside how many do so by the paper's words, and of how many nobody knows yet how firmly; the
// last one is of claims that do not count (Claim::kind).
inline constexpr std::string_view kStandings[] = {"claims",
                                                  "holds",
                                                  "undecided",
                                                  "fails, cause shown",
                                                  "fails, cause unknown",
                                                  "not run",
                                                  "holds by the words",
                                                  "holds, firmness not measured",
                                                  "does not count"};
std::array<std::size_t, std::size(kStandings)> counts(const std::vector<Claim>& claims, const Verdicts& verdicts,
                                                      const Paper& paper);

// The command that shows why a claim with a known cause fails.
std::string command_of(const Claim& claim);

std::string read_text(const std::string& file);
// Leaves a file alone that has this text already.
void write_text(const std::string& file, const std::string& text);

}  // namespace weir::claims
