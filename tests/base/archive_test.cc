#include "weir/base/archive.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace weir {
namespace {

// A checkpoint that was changed may say anything: nothing is taken from memory that its bytes cannot fill.
TEST(Archive, RefusesLengthsThatItsBytesCannotHave) {
  for (const std::uint64_t length :
       {std::uint64_t{9}, std::uint64_t{1} << 31, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    Saver a;
    a.value(length);
    a.value(std::uint64_t{0});  // eight bytes for so many objects
    const std::string saved = a.take();
    std::vector<std::string> objects;
    Loader each(saved);
    EXPECT_THROW(each.each(objects, [&](std::string& text) { each.text(text); }), InputError) << length;
    EXPECT_TRUE(objects.empty());
    std::vector<std::uint32_t> numbers;
    EXPECT_THROW(Loader(saved).values(numbers), InputError) << length;
    EXPECT_TRUE(numbers.empty());
    EXPECT_THROW(Loader(saved).block([](Loader&) {}), InputError) << length;
  }
}

}  // namespace
}  // namespace weir
