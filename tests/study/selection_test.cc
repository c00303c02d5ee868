#include "weir/study/selection.h"

#include <gtest/gtest.h>

#include <string>

#include "weir/base/error.h"

namespace weir::study {
namespace {

const std::vector<AxisLabels> kAxes = {{"load", {"0.3", "0.5"}}, {"transport", {"DCQCN, ECMP", "NSCC"}}};

TEST(Only, LabelsOfSeveralAxes) {
  EXPECT_EQ(parse_only("load=0.3,transport=NSCC,load=0.5", kAxes), (WantedLabels{{0, {"0.3", "0.5"}}, {1, {"NSCC"}}}));
  EXPECT_TRUE(parse_only("", kAxes).empty());
}

TEST(Only, ALabelWithACommaStandsInQuotes) {
  EXPECT_EQ(parse_only("transport=\"DCQCN, ECMP\",load=\"0.3\"", kAxes),
            (WantedLabels{{0, {"0.3"}}, {1, {"DCQCN, ECMP"}}}));
  try {
    parse_only("transport=DCQCN, ECMP", kAxes);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "--only: the axis 'transport' has no label 'DCQCN'; valid is \"DCQCN, ECMP\", NSCC");
  }
}

}  // namespace
}  // namespace weir::study
