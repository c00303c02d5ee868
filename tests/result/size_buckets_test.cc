#include "weir/result/size_buckets.h"

#include <gtest/gtest.h>

#include <vector>

namespace weir::result {
namespace {

TEST(SizeBuckets, SizesAreToldInDecimalUnits) {
  EXPECT_EQ(size_text(64), "64 B");
  EXPECT_EQ(size_text(1000), "1 KB");
  EXPECT_EQ(size_text(10'240), "10.24 KB");
  EXPECT_EQ(size_text(3e7), "30 MB");
}

TEST(SizeBuckets, StandAtTheirUpperEdges) {
  const std::vector<double> edges{1e3, 1e4, 1e5};
  EXPECT_EQ(bucket_place(edges, 0), 1e3);
  EXPECT_EQ(bucket_place(edges, 2), 1e5);
  EXPECT_EQ(bucket_place(edges, 3), 1e6) << "the open one, by the same ratio";
  EXPECT_EQ(bucket_place(std::vector<double>{1e3}, 1), 2e3);
  EXPECT_EQ(bucket_place(std::vector<double>{1e3, 1.5e3}, 2), 3e3) << "at least at twice the last edge";
  EXPECT_EQ(open_bucket_text(1e7), "> 10 MB");
}

}  // namespace
}  // namespace weir::result
