// Tables in documents that claims keep true. A table follows a line `<!-- table: NAME -->`.
#pragma once

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

// README.md with the table `summary` anew: how many claims of each paper hold.
std::string with_summary(const std::string& text, const std::string& file, const std::vector<Claim>& claims,
                         const Verdicts& verdicts);
// docs/claims.md with the tables `summary` and that of each paper anew.
std::string with_overview(const std::string& text, const std::string& file, const std::vector<Claim>& claims,
                          const Verdicts& verdicts);

// How many of a paper's claims have this verdict; "" = all.
std::size_t count(const std::vector<Claim>& claims, const Verdicts& verdicts, const Paper& paper,
                  std::string_view verdict);

std::string read_text(const std::string& file);
// Leaves a file alone that has this text already.
void write_text(const std::string& file, const std::string& text);

}  // namespace weir::claims
