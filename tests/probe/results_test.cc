#include "weir/probe/results.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "tests/probe/helpers.h"
#include "weir/base/error.h"

namespace weir::probe {
namespace {

namespace fs = std::filesystem;

// The message of the InputError that it throws.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ResultDirectory, AppearsWholeAndAtOnce) {
  const Scratch scratch;
  {
    ResultDirectory out(scratch / "a");
    out.write("scenario.toml", "seed = 1\n");
    EXPECT_FALSE(fs::exists(scratch / "a"));
    ASSERT_EQ(scratch.content().size(), 1u);
    EXPECT_TRUE(scratch.content().front().starts_with("a.partial-")) << scratch.content().front();
    out.commit();
  }
  EXPECT_EQ(scratch.content(), std::vector<std::string>{"a"});
  EXPECT_EQ(text_of(scratch / "a/scenario.toml"), "seed = 1\n");
}

TEST(ResultDirectory, LeavesNothingAfterAnError) {
  const Scratch scratch;
  EXPECT_THROW(
      {
        ResultDirectory out(scratch / "deep/er/a");
        out.write("scenario.toml", "seed = 1\n");
        throw std::runtime_error("the run failed");
      },
      std::runtime_error);
  EXPECT_TRUE(scratch.content().empty());
}

TEST(ResultDirectory, RefusesWhatExists) {
  const Scratch scratch;
  fs::create_directory(scratch / "a");
  std::ofstream(scratch / "a/something") << "kept";
  EXPECT_EQ(refusal([&] { ResultDirectory out(scratch / "a"); }),
            "result directory " + (scratch / "a") + ": it exists already; choose another name or remove it first");
  EXPECT_NE(refusal([&] { ResultDirectory out(scratch / "a/something"); }), "");
  EXPECT_NE(refusal([&] { ResultDirectory out(scratch / "a/something/b"); }), "");
  EXPECT_NE(refusal([] { ResultDirectory out(""); }), "");
  EXPECT_EQ(text_of(scratch / "a/something"), "kept");
  EXPECT_EQ(scratch.content().size(), 1u);
}

TEST(ResultDirectory, RefusesALinkThatLeadsNowhere) {
  const Scratch scratch;
  fs::create_symlink(scratch / "nowhere", scratch / "a");
  EXPECT_EQ(refusal([&] { ResultDirectory out(scratch / "a"); }),
            "result directory " + (scratch / "a") +
                ": it is a symbolic link to nothing; choose another name or remove it first");
  // one that leads somewhere is followed
  fs::create_directory(scratch / "nowhere");
  {
    ResultDirectory out(scratch / "a");
    out.write("x", "1");
    out.commit();
  }
  EXPECT_EQ(text_of(scratch / "nowhere/x"), "1");
}

// Both appear at once, or neither.
TEST(ResultDirectory, HoldsAnother) {
  const Scratch scratch;
  {
    ResultDirectory whole(scratch / "a");
    {
      ResultDirectory part(whole.within("b"));
      part.write("x", "1");
      part.commit();
    }
    EXPECT_FALSE(fs::exists(scratch / "a"));
    whole.commit();
  }
  EXPECT_EQ(text_of(scratch / "a/b/x"), "1");
  {
    ResultDirectory whole(scratch / "c");
    ResultDirectory part(whole.within("b"));
    part.commit();
  }
  EXPECT_EQ(scratch.content(), std::vector<std::string>{"a"});
}

TEST(ResultDirectory, RefusesAPlaceThatCannotBeWritten) {
  EXPECT_NE(refusal([] { ResultDirectory out("/proc/weir-results"); }), "");
  EXPECT_NE(refusal([] { ResultDirectory out("/proc/deep/er/weir-results"); }), "");
}

TEST(ResultDirectory, TakesAnEmptyDirectoryAndATrailingSlash) {
  const Scratch scratch;
  fs::create_directory(scratch / "a");
  {
    ResultDirectory out(scratch / "a/");
    out.write("x", "1");
    out.commit();
  }
  EXPECT_EQ(files_in(scratch / "a"), (std::map<std::string, std::string>{{"x", "1"}}));
}

TEST(ResultDirectory, DoesNotOverwriteWhatAppearedMeanwhile) {
  const Scratch scratch;
  {
    ResultDirectory out(scratch / "a");
    fs::create_directory(scratch / "a");
    std::ofstream(scratch / "a/theirs") << "kept";
    EXPECT_THROW(out.commit(), std::runtime_error);
  }
  EXPECT_EQ(scratch.content(), std::vector<std::string>{"a"});
  EXPECT_EQ(text_of(scratch / "a/theirs"), "kept");
}

// Before anything is simulated.
TEST(ResultDirectory, TheSecondOfANameIsRefusedAtOnce) {
  const Scratch scratch;
  const std::string held =
      "result directory " + (scratch / "a") + ": another run is writing it; wait for it, or choose another name";
  {
    ResultDirectory first(scratch / "a");
    first.write("x", "first");
    EXPECT_EQ(refusal([&] { ResultDirectory second(scratch / "a"); }), held);
    EXPECT_EQ(refusal([&] { ResultDirectory second(scratch / "a"); }), held);
    first.commit();
    EXPECT_EQ(text_of(scratch / "a/x"), "first");
  }
  { const ResultDirectory given_up(scratch / "b"); }
  ResultDirectory next(scratch / "b");
  next.commit();
  EXPECT_EQ(scratch.content().size(), 2u);  // and nothing partial
}

// A process that is killed blocks its name no longer, and what it has left does not get into the next result.
TEST(ResultDirectory, TheNameOfAKilledRunIsFree) {
  const Scratch scratch;
  const pid_t process = ::fork();
  if (process == 0) {
    ResultDirectory out(scratch / "a");
    out.write("left", "behind");
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(scratch.content(), std::vector<std::string>{"a.partial-run"});
  {
    ResultDirectory out(scratch / "a");
    out.write("x", "1");
    out.commit();
  }
  EXPECT_EQ(scratch.content(), std::vector<std::string>{"a"});
  EXPECT_EQ(files_in(scratch / "a"), (std::map<std::string, std::string>{{"x", "1"}}));
}

TEST(ResultFile, WritesMoreThanItsBuffer) {
  const Scratch scratch;
  std::string want;
  ResultFile file(scratch / "x", "x");
  for (int i = 0; i < 50'000; ++i) {
    file.print("{},", i);
    want += std::to_string(i) + ",";
  }
  file.close();
  EXPECT_EQ(text_of(scratch / "x"), want);
}

TEST(ResultFile, NamesTheFileThatCannotBeWritten) {
  ResultFile full("/dev/full", "out/flows.csv");
  full.write("a record\n");
  try {
    full.close();
    FAIL() << "a full disk went unnoticed";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot write out/flows.csv: No space left on device");
  }
}

}  // namespace
}  // namespace weir::probe
