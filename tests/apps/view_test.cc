// What weir run --view-data records agrees with what other probes count, and weir view makes a page of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/command.h"
#include "tests/support/http.h"
#include "weir/page_server.h"
#include "weir/report/packed.h"
#include "weir/report/render.h"
#include "weir/result/rows.h"

namespace weir::app {
namespace {

using Json = nlohmann::json;

// The rows of a table of a result, by column.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& file) {
  const std::string text = read_file(file);
  result::Rows rows(text, file);
  std::vector<std::map<std::string, std::string>> out;
  while (rows.next()) {
    auto& row = out.emplace_back();
    for (std::size_t i = 0; i < rows.columns().size(); ++i) row[rows.columns()[i]] = rows.fields()[i];
  }
  return out;
}

std::int64_t sum(const std::vector<std::map<std::string, std::string>>& rows, const std::string& column) {
  std::int64_t out = 0;
  for (const auto& row : rows) out += std::stoll(row.at(column));
  return out;
}

// Sums of a column by another one.
std::map<std::string, std::int64_t> sums(const std::vector<std::map<std::string, std::string>>& rows,
                                         const std::string& by, const std::string& column) {
  std::map<std::string, std::int64_t> out;
  for (const auto& row : rows)
    if (const std::int64_t value = std::stoll(row.at(column)); value != 0) out[row.at(by)] += value;
  return out;
}

void run_recorded(const Folder& folder, const std::string& scenario, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"run",     "tests/scenarios/" + scenario + ".toml",
                                     "--quiet", "--view-data",
                                     "--out",   folder / "a",
                                     "--set",   "probes.links.ports=all, hosts",
                                     "--set",   "probes.pfc.ports=all, hosts",
                                     "--set",   "probes.flows.paths=true",
                                     "--set",   "probes.view.follow=100"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Output o = weir(arguments);
  ASSERT_EQ(o.status, 0) << o.err;
}

// Each tree of pauses begins at the host that takes data slowly, which its switch's port was paused by.
TEST(ViewData, ASlowHostIsTheRoot) {
  const Folder folder("weir-view");
  run_recorded(folder, "slow-receiver");
  const auto pauses = rows_of(folder / "a/view_pauses.csv");
  ASSERT_FALSE(pauses.empty());
  std::string own;  // port of host 0
  for (const auto& row : rows_of(folder / "a/view_ports.csv"))
    if (row.at("from") == "0") own = row.at("port");
  const std::string last_hop = std::to_string(std::stoi(own) ^ 1);
  for (const auto& row : pauses) {
    if (row.at("parent").empty()) {
      EXPECT_EQ(row.at("by"), own) << row.at("time_ps");
    }
    if (row.at("port") == last_hop) {
      EXPECT_EQ(row.at("by"), own) << row.at("time_ps");
    }
  }
}

class Recorded : public testing::TestWithParam<const char*> {};

TEST_P(Recorded, AgreesWithOtherProbes) {
  const Folder folder("weir-view");
  run_recorded(folder, GetParam());
  const Json summary = Json::parse(read_file(folder / "a/summary.json"));
  const auto series = rows_of(folder / "a/view_series.csv");
  const auto links = rows_of(folder / "a/links.csv");
  const auto pfc = rows_of(folder / "a/pfc.csv");
  // Pause frames are no packets of a flow, and are not in the series: 64 bytes each.
  auto sent_bytes = sums(series, "port", "sent_bytes");
  for (const auto& [port, bytes] : sums(links, "port", "sent_bytes")) {
    const std::int64_t frames = bytes - std::exchange(sent_bytes[port], 0);
    EXPECT_GE(frames, 0) << port;
    EXPECT_EQ(frames % 64, 0) << port;
    EXPECT_TRUE(frames == 0 || sum(pfc, "pauses") > 0) << port;
  }
  for (const auto& [port, bytes] : sent_bytes) EXPECT_EQ(bytes, 0) << port;
  EXPECT_EQ(sums(series, "port", "marked_packets"), sums(links, "port", "marked_packets"));
  EXPECT_EQ(sums(series, "port", "paused_ps"), sums(pfc, "port", "paused_ps"));
  EXPECT_EQ(sum(series, "dropped_packets"),
            summary.at("links").at("dropped_packets").get<std::int64_t>() + sum(pfc, "storm_dropped_packets"));

  std::map<std::string, std::int64_t> pauses;
  for (const auto& row : rows_of(folder / "a/view_pauses.csv")) ++pauses[row.at("port")];
  EXPECT_EQ(pauses, sums(pfc, "port", "pauses"));

  std::map<std::string, std::int64_t> events;
  for (const auto& row : rows_of(folder / "a/view_events.csv")) ++events[row.at("event")];
  EXPECT_EQ(events["dropped"], sum(series, "dropped_packets"));
  EXPECT_EQ(events["trimmed"], sum(series, "trimmed_packets"));
  EXPECT_EQ(events["lost"], sum(links, "lost_packets"));

  // Of flows with one path, that path.
  std::map<std::string, std::vector<std::string>> paths;
  for (const auto& row : rows_of(folder / "a/view_paths.csv")) paths[row.at("flow_id")].push_back(row.at("port"));
  std::map<std::string, std::vector<std::string>> told;
  for (const auto& row : rows_of(folder / "a/paths.csv"))
    if (!row.at("port").empty()) told[row.at("flow_id")].push_back(row.at("port"));
  for (const auto& [flow, path] : told) EXPECT_EQ(paths[flow], path) << flow;

  // Every flow of these small runs is followed.
  std::map<std::string, std::int64_t> sizes;
  for (const auto& row : rows_of(folder / "a/flows.csv"))
    if (!row.at("finish_ps").empty()) sizes[row.at("flow_id")] = std::stoll(row.at("size_bytes"));
  const auto courses = rows_of(folder / "a/view_courses.csv");
  const auto sent = sums(courses, "flow_id", "sent_bytes");
  const auto acked = sums(courses, "flow_id", "acked_bytes");
  for (const auto& [flow, size] : sizes) {
    EXPECT_EQ(sent.at(flow), size) << flow;
    EXPECT_EQ(acked.at(flow), size) << flow;
  }
  EXPECT_EQ(rows_of(folder / "a/anatomy.csv").size(), sizes.size());
}

INSTANTIATE_TEST_SUITE_P(Tests, Recorded,
                         testing::Values("pfc-small-buffer", "lossy-drops", "lossy-links", "star-incast-dcqcn",
                                         "pfc-watchdog"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(View, RecordingChangesNothing) {
  const Folder folder("weir-view");
  run_recorded(folder, "pfc-small-buffer");
  const Json manifest = Json::parse(read_file(folder / "a/manifest.json"));
  EXPECT_EQ(manifest.at("digest"), Json::parse(read_file("tests/scenarios/pfc-small-buffer.expect.json")).at("digest"));
}

TEST(View, RecordsTheSameOnAnyThreads) {
  const Folder one("weir-view");
  const Folder three("weir-view-threads");
  run_recorded(one, "pfc-small-buffer");
  run_recorded(three, "pfc-small-buffer", {"--threads", "3"});
  for (const char* file : {"anatomy.csv", "view_series.csv", "view_queues.csv", "view_pauses.csv", "view_events.csv",
                           "view_courses.csv", "view_paths.csv", "view_ports.csv"})
    EXPECT_EQ(read_file(one / (std::string("a/") + file)), read_file(three / (std::string("a/") + file))) << file;
}

TEST(View, IsRefusedWithoutWhatItShows) {
  const Folder folder("weir-view");
  Output o = weir({"run", "tests/scenarios/star-incast-hpcc.toml", "--quiet", "--out", folder / "a"});
  ASSERT_EQ(o.status, 0) << o.err;
  if (report::available() && report::can_pack()) {
    o = weir({"view", folder / "a", "--out", folder / "a.html"});
    EXPECT_EQ(o.status, 2);
    EXPECT_NE(o.err.find("run it again with: weir run " + folder / "a/scenario.toml" + " --view-data --out"),
              std::string::npos)
        << o.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "a.html"));
  }
  o = weir({"run", "tests/scenarios/star-incast-hpcc.toml", "--view-data"});
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("--view-data"), std::string::npos) << o.err;
}

TEST(View, IsOnePage) {
  if (!report::available() || !report::can_pack()) GTEST_SKIP() << "this build has no weir view";
  const Folder folder("weir-view");
  run_recorded(folder, "pfc-small-buffer", {"--set", "title=</script><b>&"});
  const Output o = weir({"view", folder / "a", "--out", folder / "a.html"});
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string page = read_file(folder / "a.html");
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  const std::string begin = "<script type=\"application/json\" id=\"document\">";
  const auto at = page.find(begin) + begin.size();
  const Json document = Json::parse(page.substr(at, page.find("</script>", at) - at));
  EXPECT_EQ(document.at("title"), "</script><b>&");
  EXPECT_EQ(document.at("hosts"), 12);
  EXPECT_EQ(document.at("switches"), 2);
  EXPECT_EQ(document.at("tables").at("ports").at("rows"), 26);
  EXPECT_EQ(document.at("tables").at("anatomy").at("rows"), rows_of(folder / "a/anatomy.csv").size());
  EXPECT_EQ(document.at("tables").at("series").at("rows"), rows_of(folder / "a/view_series.csv").size());
}

TEST(View, ServesThoseWhoKnowTheToken) {
  if (!PageServer::available()) GTEST_SKIP() << "this build has no HTTP server";
  const PageServer server("the page");
  const std::string address = server.address();
  ASSERT_TRUE(address.starts_with("http://127.0.0.1:")) << address;
  const std::string host = http_host(address);
  const std::string path = address.substr(address.find('/', 7));
  const auto get = [&](const std::string& what, const std::string& of_host) {
    return http_answer(address, "GET " + what + " HTTP/1.1\r\nHost: " + of_host + "\r\nConnection: close\r\n\r\n");
  };
  const std::string page = get(path, host);
  EXPECT_TRUE(page.starts_with("HTTP/1.1 200")) << page;
  EXPECT_TRUE(page.ends_with("the page")) << page;
  EXPECT_TRUE(get("/", host).starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(get(path + "0", host).starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(get(path, "evil.example:80").starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(get("/other" + path.substr(1), host).starts_with("HTTP/1.1 404"));
  const PageServer another("the page");
  EXPECT_NE(another.address().substr(another.address().find('=')), address.substr(address.find('=')));
}

}  // namespace
}  // namespace weir::app
