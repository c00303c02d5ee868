#include "weir/base/checksum.h"

#include <gtest/gtest.h>

#include <string>

namespace weir {
namespace {

// As `xxh128sum` prints them.
TEST(Checksum, IsThatOfTheTool) {
  EXPECT_EQ(checksum_of(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(checksum_of("flow_id,src,dst\n0,1,2\n"), "c7a438d5648bb6d578d4a7f12324343e");
}

TEST(Checksum, OfPiecesIsThatOfTheWhole) {
  std::string whole;
  Checksum pieces;
  for (int i = 0; i < 5'000; ++i) {
    const std::string piece = std::to_string(i) + ",";
    whole += piece;
    pieces.update(piece);
    if (i % 1'000 == 0) {
      EXPECT_EQ(pieces.text(), checksum_of(whole));
    }
  }
  EXPECT_EQ(pieces.text(), checksum_of(whole));
}

}  // namespace
}  // namespace weir
