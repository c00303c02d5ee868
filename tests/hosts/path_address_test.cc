#include "hosts/path/address.h"

#include <gtest/gtest.h>

namespace weir::hosts {
namespace {

TEST(Address, IsReadAndWritten) {
  for (const char* text : {"10.77.0.1", "255.255.255.255", "fd77::1", "::", "fe80::1:2"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(to_text(*address), text);
    EXPECT_EQ(address->v6, std::string(text).find(':') != std::string::npos);
  }
  for (const char* text :
       {"", "10.77.0", "10.77.0.256", "host", "fd77:::1", "10.77.0.1 ", "10.77.0.1/24", "fe80::1%lo"})
    EXPECT_FALSE(parse_address(text)) << text;
}

TEST(Flow, IsWrittenAsPeopleExpect) {
  EXPECT_EQ(to_text(Flow{*parse_address("10.77.0.1"), *parse_address("10.77.0.2"), 40000, 80}),
            "10.77.0.1:40000 > 10.77.0.2:80");
  EXPECT_EQ(to_text(Flow{*parse_address("fd77::1"), *parse_address("fd77::2"), 1, 2}), "[fd77::1]:1 > [fd77::2]:2");
}

}  // namespace
}  // namespace weir::hosts
