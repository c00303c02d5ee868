#include "weir/base/text_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "weir/base/error.h"

namespace weir {
namespace {

std::string complaint(const std::function<std::string()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(TextFile, IsReadWholeOrRefused) {
  const std::string path = std::filesystem::path(testing::TempDir()) / "weir-text-file";
  const auto reading = [&](const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
    return complaint([&] { return read_text_file(path, "a list"); });
  };
  const std::string large(200'000, 'x');
  EXPECT_EQ(reading(large), "none");
  EXPECT_EQ(read_text_file(path, "a list"), large);
  EXPECT_EQ(reading(""), "none");
  EXPECT_EQ(reading("\xef\xbb\xbf"
                    "a\n"),
            "none");
  EXPECT_EQ(read_text_file(path, "a list"), "a\n");
  EXPECT_EQ(read_document(path, "a list"), "a\n");
  EXPECT_EQ(read_named_file(path, "a list", "file"), "a\n");
  EXPECT_EQ(reading(large + "\n\nab\xff"),
            path + ":3: it has a byte 0xff where none can be, so it is no text (UTF-8); it should be a list");
  EXPECT_EQ(reading(std::string("a\n\0b", 4)),
            path + ":2: it has a NUL character, so it is no text (UTF-8); it should be a list");
  EXPECT_EQ(read_bytes(path, "a list"), std::string("a\n\0b", 4));
  std::filesystem::remove(path);
  EXPECT_EQ(complaint([&] { return read_text_file(path, "a list"); }),
            path + ": cannot be read (No such file or directory); it should be a list");
  EXPECT_EQ(complaint([&] { return read_text_file(testing::TempDir(), "a list"); }),
            testing::TempDir() + ": cannot be read (Is a directory); it should be a list");
}

// Sparse files: they take no room and no time.
TEST(TextFile, ThatIsTooLongIsNotRead) {
  const std::string path = std::filesystem::path(testing::TempDir()) / "weir-text-file-long";
  std::ofstream(path) << "a";
  std::filesystem::resize_file(path, kLargestDocument + 1);
  EXPECT_EQ(complaint([&] { return read_document(path, "a scenario"); }),
            path +
                ": cannot be read (more than 16 MiB, which is the most that is read of such a file); it should be a "
                "scenario");
  std::filesystem::resize_file(path, kLargestData + 1);
  EXPECT_EQ(
      complaint([&] { return read_text_file(path, "a list"); }),
      path + ": cannot be read (more than 16 GiB, which is the most that is read of such a file); it should be a list");
  std::filesystem::remove(path);
}

TEST(TextFile, WithoutAnEndIsNotReadForEver) {
  EXPECT_EQ(complaint([] { return read_text_file("/dev/zero", "a list"); }),
            "/dev/zero:1: it has a NUL character, so it is no text (UTF-8); it should be a list");
  EXPECT_EQ(complaint([] { return read_bytes("/dev/zero", "a list"); }),
            "/dev/zero: cannot be read (more than 64 MiB, and it is no regular file); it should be a list");
  EXPECT_EQ(complaint([] { return read_document("/dev/zero", "a list"); }),
            "/dev/zero:1: it has a NUL character, so it is no text (UTF-8); it should be a list");
}

}  // namespace
}  // namespace weir
