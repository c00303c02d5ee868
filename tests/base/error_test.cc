// Errors that carry the key of the value to blame.
#include "weir/base/error.h"

#include <gtest/gtest.h>

#include <functional>

namespace weir {
namespace {

InputError thrown_by(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error;
  }
  ADD_FAILURE() << "nothing is thrown";
  return InputError("nothing");
}

TEST(InputError, TellsItsKeyApartFromTheReason) {
  const InputError of_value("size", "0 B is out of range");
  EXPECT_STREQ(of_value.what(), "size: 0 B is out of range");
  EXPECT_EQ(of_value.key(), "size");
  EXPECT_EQ(of_value.reason(), "0 B is out of range");

  const InputError of_all("", "too many sources");
  EXPECT_STREQ(of_all.what(), "too many sources");
  EXPECT_EQ(of_all.key(), "");
}

TEST(InputError, TellsItsPlaceApartFromTheReason) {
  const InputError error = thrown_by([] { throw InputError(Where{"a.csv", 3}, "one field"); });
  EXPECT_STREQ(error.what(), "a.csv:3: one field");
  EXPECT_EQ(error.where().file, "a.csv");
  EXPECT_EQ(error.where().line, 3);
  EXPECT_EQ(error.reason(), "one field");
  EXPECT_FALSE(error.key());
  EXPECT_STREQ(thrown_by([] { throw InputError(Where{}, "one field"); }).what(), "one field");
}

// What a part complains of is told under the key that the whole has for the part.
TEST(InputError, BecomesOneOfALargerComponent) {
  const auto under = [](std::string_view key, const InputError& error) {
    return thrown_by([&] { under_key(key, [&] { throw error; }); });
  };
  EXPECT_STREQ(under("buffer", InputError("size", "too small")).what(), "buffer.size: too small");
  EXPECT_EQ(under("network", under("buffer", InputError("size", "too small"))).key(), "network.buffer.size");
  EXPECT_EQ(under("", InputError("size", "too small")).key(), "size");
  EXPECT_EQ(under("traffic.0", InputError("", "too many")).key(), "traffic.0");
  EXPECT_EQ(under("sizes", InputError("unknown workload")).key(), "sizes");
  // A file that cannot be read keeps its name.
  EXPECT_STREQ(under("file", InputError(Where{"a.csv", 0}, "cannot be read")).what(), "file: a.csv: cannot be read");
  EXPECT_EQ(under("file", InputError(Where{"a.csv", 0}, "cannot be read")).reason(), "a.csv: cannot be read");
}

TEST(InputError, GivesWhatTheWorkGives) {
  EXPECT_EQ(under_key("a", [] { return 7; }), 7);
}

}  // namespace
}  // namespace weir
