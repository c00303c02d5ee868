#include "weir/probe/whole_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "tests/probe/helpers.h"

namespace weir::probe {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names(const Scratch& scratch) {
  auto out = scratch.content();
  std::sort(out.begin(), out.end());
  return out;
}

TEST(WholeFiles, AppearTogetherOrNotAtAll) {
  const Scratch scratch;
  {
    WholeFiles files;
    files.write(scratch / "a", "1");
    files.write(scratch / "b", "2");
    EXPECT_FALSE(fs::exists(scratch / "a"));
  }
  EXPECT_TRUE(scratch.content().empty());
  WholeFiles files;
  files.write(scratch / "a", "1");
  files.write(scratch / "b", "2");
  files.commit();
  EXPECT_EQ(names(scratch), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(text_of(scratch / "b"), "2");
}

TEST(WholeFiles, ReplaceARegularFileAndKeepItsPermissions) {
  const Scratch scratch;
  std::ofstream(scratch / "a") << "earlier, and longer";
  fs::permissions(scratch / "a", fs::perms::owner_read | fs::perms::owner_write);
  write_whole(scratch / "a", "1");
  EXPECT_EQ(text_of(scratch / "a"), "1");
  EXPECT_EQ(fs::status(scratch / "a").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

// One to a file, one by way of another link and relative to its folder, one to a file that is not there yet.
TEST(WholeFiles, FollowLinks) {
  const Scratch scratch;
  fs::create_directory(scratch / "folder");
  std::ofstream(scratch / "folder/file") << "earlier";
  fs::create_symlink("file", scratch / "folder/near");
  fs::create_symlink("folder/near", scratch / "far");
  fs::create_symlink("folder/new", scratch / "nowhere");
  write_whole(scratch / "far", "1");
  write_whole(scratch / "nowhere", "2");
  EXPECT_TRUE(fs::is_symlink(scratch / "far"));
  EXPECT_TRUE(fs::is_symlink(scratch / "folder/near"));
  EXPECT_TRUE(fs::is_symlink(scratch / "nowhere"));
  EXPECT_EQ(text_of(scratch / "folder/file"), "1");
  EXPECT_EQ(text_of(scratch / "folder/new"), "2");
  EXPECT_EQ(names(scratch), (std::vector<std::string>{"far", "folder", "nowhere"}));

  fs::create_symlink("loop", scratch / "loop");
  EXPECT_THROW(write_whole(scratch / "loop", "3"), std::system_error);
}

TEST(WholeFiles, WriteIntoWhatIsNoRegularFile) {
  const Scratch scratch;
  ASSERT_EQ(::mkfifo((scratch / "fifo").c_str(), 0600), 0);
  const int reader = ::open((scratch / "fifo").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_whole(scratch / "fifo", "text");
  std::array<char, 16> got{};
  EXPECT_EQ(::read(reader, got.data(), got.size()), 4);
  EXPECT_EQ(std::string(got.data()), "text");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(scratch / "fifo"));

  fs::create_symlink("/dev/null", scratch / "null");
  write_whole(scratch / "null", "text");
  EXPECT_TRUE(fs::is_symlink(scratch / "null"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(names(scratch), (std::vector<std::string>{"fifo", "null"}));
}

// A device that takes nothing keeps the other files from appearing.
TEST(WholeFiles, AFullDeviceLeavesNothing) {
  const Scratch scratch;
  {
    WholeFiles files;
    files.write(scratch / "a", "1");
    files.write("/dev/full", "2");
    EXPECT_THROW(files.commit(), std::system_error);
  }
  EXPECT_TRUE(scratch.content().empty());
}

// As /dev/stdout of a process whose output goes to a file that has been removed.
TEST(WholeFiles, AFileWithoutANameIsWrittenInPlace) {
  const Scratch scratch;
  const int file = ::open((scratch / "a").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(file, 0);
  ::unlink((scratch / "a").c_str());
  write_whole("/proc/self/fd/" + std::to_string(file), "text");
  std::array<char, 16> got{};
  EXPECT_EQ(::pread(file, got.data(), got.size(), 0), 4);
  ::close(file);
  EXPECT_TRUE(scratch.content().empty());
}

TEST(WholeFiles, NameWhatCannotBeWritten) {
  const Scratch scratch;
  fs::create_directory(scratch / "folder");
  for (const char* name : {"folder", "missing/file"}) {
    try {
      write_whole(scratch / name, "1");
      FAIL() << name;
    } catch (const std::system_error& error) {
      EXPECT_NE(std::string(error.what()).find("cannot create " + (scratch / name)), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace weir::probe
