#include "weir/base/version.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace weir {
namespace {

TEST(Version, IsAReleaseAndPerhapsACommit) {
  const std::string text(version());
  const auto release = text.substr(0, text.find('+'));
  EXPECT_EQ(release.find_first_not_of("0123456789."), std::string::npos) << text;
  EXPECT_EQ(std::count(release.begin(), release.end(), '.'), 2) << text;
}

}  // namespace
}  // namespace weir
