// Captures as tshark reads them, which is the tests' oracle.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/command.h"

namespace weir::capture {

inline bool has_tshark() { return app::shell("command -v tshark").status == 0; }

// Skips the test where there is no tshark.
#define WEIR_NEEDS_TSHARK() \
  if (!has_tshark()) GTEST_SKIP() << "there is no tshark; `./dev test` installs it"

// The frames of a file that a display filter takes, with the values of these fields, or only their numbers.
inline std::vector<std::vector<std::string>> frames(const std::string& file, const std::string& filter,
                                                    const std::vector<std::string>& fields = {"frame.number"}) {
  std::string script = "tshark -X lua_script:share/wireshark/weir.lua -r '" + file + "' -T fields -Y '" + filter + "'";
  for (const std::string& field : fields) script += " -e " + field;
  const app::Output o = app::shell(script);
  EXPECT_EQ(o.status, 0) << script << "\n" << o.err;
  EXPECT_EQ(o.err.find("Lua"), std::string::npos) << o.err;
  std::vector<std::vector<std::string>> out;
  std::istringstream lines(o.out);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> values(1);
    for (const char c : line)
      if (c == '\t')
        values.emplace_back();
      else
        values.back() += c;
    out.push_back(std::move(values));
  }
  return out;
}

// What tshark finds wrong by itself.
inline constexpr const char* kWrong = "_ws.malformed || _ws.expert.severity == \"Error\" || _ws.lua.error";

}  // namespace weir::capture
