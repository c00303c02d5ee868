// What is told of result files that are not as the run wrote them.
#include "weir/result/directory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "weir/base/error.h"
#include "weir/base/text_file.h"
#include "weir/probe/manifest.h"
#include "weir/probe/probe_set.h"
#include "weir/result/contents.h"

namespace weir::result {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCdf = "tier,queue_bytes,samples,cumulative\nall,0,9,0.9\nall,100,1,1\n";

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

class Results : public testing::Test {
 protected:
  Results() {
    probe::ResultDirectory out(dir_);
    out.write("queue_cdf.csv", kCdf);
    out.write("gone.csv", "x\n");
    out.remove("gone.csv");
    probe::Summary summary;
    probe::store(out, summary, {});
    out.commit();
  }

  std::string file(const std::string& name) const { return dir_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }
  std::string on_check() const {
    return refusal([&] { Directory(dir_).check_all(); });
  }

  app::Folder folder_{"weir-result"};
  const std::string dir_ = folder_ / "run";
  const std::string advice_ =
      "; put back what the run wrote, or run it again; keep changed copies outside of the result";
};

TEST_F(Results, AreWhatTheRunWrote) {
  const Directory result(dir_);
  EXPECT_TRUE(result.is_checked());
  EXPECT_EQ(on_check(), "");
  EXPECT_EQ(result.text("queue_cdf.csv"), kCdf);
  EXPECT_TRUE(result.has("summary.json"));
  EXPECT_TRUE(result.document("summary.json").contains("flows"));
  EXPECT_FALSE(result.has("gone.csv"));
  std::vector<std::string> listed;
  for (const auto& [name, facts] : result.manifest().at("files").items()) listed.push_back(name);
  EXPECT_EQ(listed, (std::vector<std::string>{"queue_cdf.csv", "summary.json"}));
  EXPECT_EQ(result.manifest().at("files").at("queue_cdf.csv").at("bytes"), std::string(kCdf).size());
}

// The file is as the run wrote it; a sparse one takes no room and no time.
TEST_F(Results, ThatAreTooLargeAreSaidToBe) {
  const std::string dir = folder_ / "large";
  probe::ResultDirectory out(dir);
  out.write("queues.csv", "time_ps\n");
  probe::store(out, {}, {});
  out.commit();
  constexpr std::uint64_t kBytes = kLargestData + (std::uint64_t{1} << 30);
  std::filesystem::resize_file(dir + "/queues.csv", kBytes);
  std::string manifest = app::read_file(dir + "/manifest.json");
  const std::string bytes = "\"bytes\": 8";
  const auto at = manifest.find(bytes);
  ASSERT_NE(at, std::string::npos) << manifest;
  manifest.replace(at, bytes.size(), "\"bytes\": " + std::to_string(kBytes));
  std::ofstream(dir + "/manifest.json") << sealed(manifest.substr(0, manifest.rfind(",\n  \"checksum\"")) + "\n}\n");
  EXPECT_EQ(refusal([&] { (void)Directory(dir).text("queues.csv"); }),
            dir +
                "/queues.csv: it is as the run wrote it, but too large to be read: it has 17.0 GiB, and files of "
                "results are read up to 16 GiB; run again with fewer samples (of a probe: ports, interval, start, "
                "stop, or series = false), or read it with another program");
}

TEST_F(Results, ThatWereChangedAreNamed) {
  write("queue_cdf.csv", "tier,queue_bytes,samples,cumulative\nall,0,9,0.9\n");
  EXPECT_EQ(on_check(), file("queue_cdf.csv") + ": it has 48 bytes, and manifest.json tells 60" + advice_);
  EXPECT_EQ(refusal([&] { Directory(dir_).check_sizes(); }), on_check());
  EXPECT_EQ(refusal([&] { (void)Directory(dir_).text("queue_cdf.csv"); }), on_check());

  std::string same_size = kCdf;
  same_size.replace(same_size.find("100"), 3, "900");
  write("queue_cdf.csv", same_size);
  EXPECT_EQ(refusal([&] { Directory(dir_).check_sizes(); }), "");
  EXPECT_EQ(on_check(), file("queue_cdf.csv") + ": its checksum is not that in manifest.json" + advice_);
  EXPECT_EQ(refusal([&] { (void)Directory(dir_).text("queue_cdf.csv"); }), on_check());

  fs::remove(file("queue_cdf.csv"));
  EXPECT_EQ(on_check(), file("queue_cdf.csv") + ": it is missing, and manifest.json lists it" + advice_);
  fs::create_directory(file("queue_cdf.csv"));
  EXPECT_EQ(on_check(), file("queue_cdf.csv") + ": it is no regular file" + advice_);
}

TEST_F(Results, HaveNoFilesOfOthers) {
  write("flows.csv", "flow_id\n");
  EXPECT_FALSE(Directory(dir_).has("flows.csv"));
  EXPECT_EQ(refusal([&] { (void)Directory(dir_).text("flows.csv"); }),
            file("flows.csv") + ": it is no file of this run: manifest.json does not list it");
}

TEST_F(Results, AManifestVouchesForItself) {
  const std::string whole = app::read_file(file("manifest.json"));
  ASSERT_TRUE(whole.ends_with("\"\n}\n"));
  const auto with = [&](std::string text) {
    write("manifest.json", text);
    return refusal([&] { Directory{dir_}; });
  };
  std::string other = whole;
  other.replace(other.find("\"seed\": 0"), 9, "\"seed\": 7");
  EXPECT_EQ(with(other), file("manifest.json") + ": its checksum is not that of its text" + advice_);
  EXPECT_EQ(with(whole + "\n"), file("manifest.json") + ": its checksum is not that of its text" + advice_);
  const auto seal = whole.rfind(",\n  \"checksum\"");
  EXPECT_EQ(with(whole.substr(0, seal) + "\n}\n"),
            file("manifest.json") + ": its last key, checksum, is missing" + advice_);
  EXPECT_NE(with(whole.substr(0, whole.size() / 2)).find(": this is no whole JSON document"), std::string::npos);
  EXPECT_EQ(with("[]"), file("manifest.json") + ": valid is a JSON object");
  EXPECT_EQ(with("{\"files\": {\"a\": 1}}"),
            file("manifest.json") + ": files: valid is an object with bytes and xxh128 for each file");
  EXPECT_EQ(with(whole), "");
}

// As versions wrote them that listed nothing: read as they are, and known to be unchecked.
TEST_F(Results, WithoutAListAreReadAsTheyAre) {
  write("manifest.json", "{\"version\": \"0.1.0\"}\n");
  write("queue_cdf.csv", "anything");
  const Directory old(dir_);
  EXPECT_FALSE(old.is_checked());
  EXPECT_TRUE(old.has("queue_cdf.csv"));
  EXPECT_FALSE(old.has("flows.csv"));
  EXPECT_EQ(old.text("queue_cdf.csv"), "anything");
  EXPECT_EQ(on_check(), "");
}

}  // namespace
}  // namespace weir::result
