// weir run --view: a run that its page drives ends as any other, and one that is changed says so and can be repeated.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/command.h"
#include "tests/support/http.h"
#include "weir/base/error.h"
#include "weir/live_view.h"
#include "weir/page_server.h"
#include "weir/probe/anatomy_probe.h"
#include "weir/probe/results.h"
#include "weir/probe/view_probe.h"
#include "weir/report/packed.h"
#include "weir/report/render.h"
#include "weir/result/rows.h"
#include "weir/scenario/scenario.h"

namespace weir::app::live_test {
namespace {

using Json = nlohmann::json;

bool can_serve() { return PageServer::available() && report::available() && report::can_pack(); }

// All files of a result but the manifest, which says how long the run took.
void expect_same_tables(const std::string& a, const std::string& b, const std::vector<std::string>& but = {}) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(a)) {
    const std::string name = entry.path().filename().string();
    if (name == "manifest.json" || std::find(but.begin(), but.end(), name) != but.end()) continue;
    EXPECT_EQ(read_file(a + "/" + name), read_file(b + "/" + name)) << name;
    ++files;
  }
  EXPECT_GT(files, 5u);
  EXPECT_EQ(Json::parse(read_file(a + "/manifest.json")).at("digest"),
            Json::parse(read_file(b + "/manifest.json")).at("digest"));
}

// A paused run with its page, and a client that knows the token.
class LiveRun {
 public:
  LiveRun(const std::string& scenario, std::string directory)
      : directory_(std::move(directory)), live_({.port = "", .paused = true}) {
    scenario_ = scenario::load_scenario_file("tests/scenarios/" + scenario + ".toml");
    scenario_.probes.set(probe::ViewParams());
    scenario_.probes.set(probe::AnatomyParams());
    result_.emplace(directory_);
    thread_ = std::thread([this] {
      outcome_ = live_.drive(scenario_, scenario::build_model(scenario_), *result_, {});
      result_->commit();
    });
    token_ = live_.address().substr(live_.address().find('=') + 1);
  }
  ~LiveRun() {
    if (thread_.joinable()) finish();
  }

  Json act(const Json& wish, int status = 200) {
    const std::string body = wish.dump();
    const std::string answer =
        http_answer(live_.address(),
                    "POST /act HTTP/1.1\r\nHost: " + http_host(live_.address()) + "\r\nX-Weir-Token: " + token_ +
                        "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body);
    EXPECT_EQ(http_status(answer), status) << answer;
    return Json::parse(http_body(answer));
  }
  Json news(const std::string& known = "") {
    const std::string answer =
        http_answer(live_.address(), "GET /news?" + known + " HTTP/1.1\r\nHost: " + http_host(live_.address()) +
                                         "\r\nX-Weir-Token: " + token_ + "\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(http_status(answer), 200) << answer;
    return Json::parse(http_body(answer));
  }
  // Waits until the run has paused, and returns what it told then.
  Json paused() {
    for (;;)
      if (Json told = news(); told.at("state") == "paused") return told;
  }
  Json step(const std::string& span) {
    act({{"do", "step"}, {"span", span}});
    return paused();
  }
  run::Outcome finish() {
    act({{"do", "run"}});
    thread_.join();
    return outcome_;
  }
  run::Outcome stop() {
    act({{"do", "stop"}});
    thread_.join();
    return outcome_;
  }

 private:
  const std::string directory_;
  LiveView live_;
  std::string token_;
  scenario::Scenario scenario_;
  std::optional<probe::ResultDirectory> result_;
  run::Outcome outcome_;
  std::thread thread_;
};

TEST(Live, EndsAsTheSameRunWithoutIt) {
  if (!can_serve()) GTEST_SKIP() << "this build has no page to serve";
  const Folder folder("weir-live");
  const Output o =
      weir({"run", "tests/scenarios/pfc-small-buffer.toml", "-q", "--view-data", "--out", folder / "plain"});
  ASSERT_EQ(o.status, 0) << o.err;
  LiveRun run("pfc-small-buffer", folder / "live");
  const std::int64_t epoch = run.paused().at("epoch_ps");
  std::int64_t now = 0;
  // a step is as long as was said, in whole epochs
  for (const std::int64_t epochs : {1, 7, 1, 20}) {
    now += epochs * epoch;
    EXPECT_EQ(run.step(std::to_string(epochs * epoch) + " ps").at("now_ps"), now);
  }
  EXPECT_EQ(run.step("1 ps").at("now_ps"), now + epoch);
  run.act({{"do", "run"}, {"until", std::to_string(now + 30 * epoch) + " ps"}});
  EXPECT_EQ(run.paused().at("now_ps"), now + 30 * epoch);
  EXPECT_TRUE(run.finish().is_whole());
  expect_same_tables(folder / "plain", folder / "live");
  EXPECT_FALSE(Json::parse(read_file(folder / "live/summary.json")).contains("changes"));
  EXPECT_FALSE(std::filesystem::exists(folder / "live/steering.toml"));
}

TEST(Live, TellsWhatIsNew) {
  if (!can_serve()) GTEST_SKIP() << "this build has no page to serve";
  const Folder folder("weir-live");
  LiveRun run("pfc-small-buffer", folder / "live");
  const Json first = run.step("50 us");
  const Json& tables = first.at("tables");
  const std::size_t flows = tables.at("flows").at("rows");
  EXPECT_GT(flows, 0u);
  EXPECT_GT(tables.at("series").at("rows"), 0);
  const std::string known = "interval=" + std::to_string(first.at("interval_ps").get<std::int64_t>()) +
                            "&looks=" + std::to_string(first.at("occupancy_interval_ps").get<std::int64_t>()) +
                            "&series=" + std::to_string(first.at("closed").get<std::size_t>()) +
                            "&flows=" + std::to_string(flows) + "&watch=0";
  const Json again = run.news(known).at("tables");
  EXPECT_EQ(again.at("flows").at("rows"), 0);
  EXPECT_EQ(again.at("flows").at("from"), flows);
  EXPECT_EQ(again.at("series").at("from"), first.at("closed"));
  EXPECT_EQ(again.at("series").at("rows").get<std::size_t>() + first.at("closed").get<std::size_t>(),
            tables.at("series").at("rows").get<std::size_t>());
  EXPECT_GT(again.at("course").at("rows"), 0);
  EXPECT_GT(again.at("paths").at("rows"), 1);
  // one that has other bins gets all of them
  EXPECT_EQ(run.news("interval=7&series=5").at("tables").at("series").at("from"), 0);
  // and one that has more than there is, too
  EXPECT_EQ(run.news("flows=99999999").at("tables").at("flows").at("rows"), flows);
}

TEST(Live, ChangesAreKeptAndCanBeRepeated) {
  if (!can_serve()) GTEST_SKIP() << "this build has no page to serve";
  const Folder folder("weir-live");
  LiveRun run("fat-tree-poisson", folder / "live");
  Json told = run.step("20 us");
  const std::int64_t at = told.at("now_ps");
  run.act({{"do", "send"}, {"src", 0}, {"dst", 5}, {"size", "30 KB"}});
  std::string key;
  std::string value;
  for (const Json& one : told.at("keys"))
    if (one.at("key").get<std::string>().starts_with("network.ecn") &&
        one.at("value").get<std::string>().ends_with("B")) {
      key = one.at("key");
      value = one.at("value");
    }
  const bool has_ecn = !key.empty();
  if (!has_ecn) key = "network.buffer.size";
  run.act({{"do", "set"}, {"set", {key + "=" + (has_ecn ? "1 KB" : "4 MB")}}});
  told = run.step("20 us");
  run.act({{"do", "send"}, {"src", 5}, {"dst", 0}, {"size", "30 KB"}});
  EXPECT_EQ(run.news().at("log").size(), 3u);
  EXPECT_EQ(run.news().at("log").at(0).at("at_ps"), at);
  EXPECT_EQ(run.news("changes=3").count("log"), 0u);
  EXPECT_TRUE(run.finish().is_whole());

  const Json summary = Json::parse(read_file(folder / "live/summary.json"));
  EXPECT_EQ(summary.at("changes"), 3);
  EXPECT_EQ(Json::parse(read_file(folder / "live/manifest.json")).at("changes"), 3);
  std::size_t sent = 0;
  const std::string text = read_file(folder / "live/flows.csv");
  result::Rows rows(text, "flows.csv", {"flow_id", "start_ps", "finish_ps"});
  while (rows.next())
    if (rows.number(0) >= 2147483648.0) {
      EXPECT_GE(rows.number(1), static_cast<double>(at));
      EXPECT_GT(rows.number(2), rows.number(1));
      ++sent;
    }
  EXPECT_EQ(sent, 2u);

  Output o = weir({"run", folder / "live/before.toml", "-q", "--steer", folder / "live/steering.toml", "--out",
                   folder / "again", "--threads", "2"});
  ASSERT_EQ(o.status, 0) << o.err;
  expect_same_tables(folder / "live", folder / "again", {"scenario.toml", "before.toml"});
  o = weir({"fork", folder / "live", "--at", "10 us", "--out", folder / "fork"});
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("it was changed while it ran"), std::string::npos) << o.err;
}

// Wherever the page says that the run pauses, a change is made between two epochs.
TEST(Live, ChangesCanBeRepeatedWhateverTheInstant) {
  if (!can_serve()) GTEST_SKIP() << "this build has no page to serve";
  const Folder folder("weir-live");
  LiveRun run("pfc-small-buffer", folder / "live");
  const std::int64_t epoch = run.paused().at("epoch_ps");
  ASSERT_GT(epoch, 2);
  run.act({{"do", "run"}, {"until", std::to_string(3 * epoch / 2) + " ps"}});
  EXPECT_EQ(run.paused().at("now_ps"), 2 * epoch);
  run.act({{"do", "send"}, {"src", 0}, {"dst", 1}, {"size", "1 KB"}});
  run.act({{"do", "run"}, {"until", std::to_string(5 * epoch + 1) + " ps"}, {"pace", "1 ms"}});
  EXPECT_EQ(run.paused().at("now_ps"), 6 * epoch);
  run.act({{"do", "set"}, {"set", {"network.buffer.size=4 MB"}}});
  // later than any epoch: it goes on to the end
  run.act({{"do", "run"}, {"until", "9223372036854775806 ps"}});
  EXPECT_TRUE(run.finish().is_whole());
  const Output o = weir(
      {"run", folder / "live/before.toml", "-q", "--steer", folder / "live/steering.toml", "--out", folder / "again"});
  ASSERT_EQ(o.status, 0) << o.err;
  expect_same_tables(folder / "live", folder / "again", {"scenario.toml", "before.toml"});
}

TEST(Live, LinksGoDownAndUp) {
  if (!can_serve()) GTEST_SKIP() << "this build has no page to serve";
  const Folder folder("weir-live");
  LiveRun run("lossy-drops", folder / "live");
  run.step("20 us");
  const Json refused = run.act({{"do", "down"}, {"a", 0}, {"b", 1}}, 400);
  EXPECT_NE(refused.at("error").get<std::string>().find("there is no link 0-1"), std::string::npos) << refused;
  // the link of host 0
  const std::string error = refused.at("error");
  const auto found = error.find("0 is linked to ");
  ASSERT_NE(found, std::string::npos) << error;
  const auto edge = static_cast<std::uint32_t>(std::stoul(error.substr(found + 15)));
  run.act({{"do", "up"}, {"a", 0}, {"b", edge}}, 400);
  run.act({{"do", "down"}, {"a", 0}, {"b", edge}});
  run.step("20 us");
  run.act({{"do", "up"}, {"a", 0}, {"b", edge}});
  EXPECT_EQ(run.news().at("changes"), 2);
  run.finish();
  const Json manifest = Json::parse(read_file(folder / "live/manifest.json"));
  EXPECT_GT(manifest.at("packets_lost"), 0);
  // its scenario has both as events of links, and gives the same when it is run from the start
  const Output o = weir({"run", folder / "live/scenario.toml", "-q", "--out", folder / "again"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(Json::parse(read_file(folder / "again/manifest.json")).at("digest"), manifest.at("digest"));
}

TEST(Live, WhatIsWrongIsToldAndChangesNothing) {
  if (!can_serve()) GTEST_SKIP() << "this build has no page to serve";
  const Folder folder("weir-live");
  LiveRun run("pfc-small-buffer", folder / "live");
  run.step("20 us");
  const auto refuses = [&](const Json& wish, const std::string& why) {
    const std::string error = run.act(wish, 400).at("error");
    EXPECT_NE(error.find(why), std::string::npos) << error;
  };
  refuses({{"do", "fly"}}, "valid is run, pause");
  refuses({{"do", "end"}}, "has not ended");
  refuses({{"do", "run"}, {"until", "1 us"}}, "already");
  refuses({{"do", "run"}, {"until", "soon"}}, "until");
  refuses({{"do", "step"}, {"span", "-1 us"}}, "span");
  for (const char* span : {"9223372036854775806 ps", "9223372036854000000 ps"})
    refuses({{"do", "step"}, {"span", span}}, "span: that is too long");
  refuses({{"do", "send"}, {"src", 0}, {"dst", 0}, {"size", "1 KB"}}, "");
  refuses({{"do", "send"}, {"src", 0}, {"dst", 999999}, {"size", "1 KB"}}, "");
  refuses({{"do", "send"}, {"src", -1}, {"dst", 1}, {"size", "1 KB"}}, "src");
  refuses({{"do", "send"}, {"src", 0}, {"dst", 1}, {"size", "1 KB"}, {"tag", "<b>"}}, "there is no tag");
  refuses({{"do", "send"}, {"src", 0}, {"dst", 1}, {"size", "much"}}, "size");
  refuses({{"do", "set"}, {"set", {"run.seed=7"}}}, "cannot change while the network runs");
  refuses({{"do", "set"}, {"set", {"no.such=7"}}}, "no");
  refuses({{"do", "set"}, {"set", {"run.stop=1 us"}}}, "later time");
  refuses({{"do", "set"}, {"set", Json::array()}}, "nothing would be changed");
  EXPECT_EQ(run.news().at("changes"), 0);
  const run::Outcome outcome = run.stop();
  EXPECT_FALSE(outcome.is_whole());
  EXPECT_TRUE(outcome.manifest.interrupted);
  EXPECT_EQ(Json::parse(read_file(folder / "live/manifest.json")).at("sim_time_ps"), outcome.manifest.sim_time.ps);
}

TEST(Live, OnlyThoseWhoKnowTheTokenChangeAnything) {
  if (!PageServer::available()) GTEST_SKIP() << "this build has no HTTP server";
  const PageServer server(
      [](const PageRequest& r) -> PageAnswer {
        return {200, r.is_post ? "got " + r.body : "page"};
      },
      0);
  const std::string address = server.address();
  const std::string host = http_host(address);
  const std::string token = address.substr(address.find('=') + 1);
  const auto post = [&](const std::string& heads, const std::string& body, const std::string& path = "/act") {
    return http_answer(address, "POST " + path + " HTTP/1.1\r\n" + heads + "Content-Length: " +
                                    std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body);
  };
  const std::string here = "Host: " + host + "\r\n";
  const std::string known = "X-Weir-Token: " + token + "\r\n";
  EXPECT_TRUE(post(here + known, "this").ends_with("got this"));
  EXPECT_TRUE(post(here + known + "Origin: http://" + host + "\r\n", "this").ends_with("got this"));
  EXPECT_EQ(http_status(post(here, "this")), 403);
  // an address can be sent from anywhere, a header cannot
  EXPECT_EQ(http_status(post(here, "this", "/act?token=" + token)), 403);
  EXPECT_EQ(http_status(post(here + "X-Weir-Token: " + token + "0\r\n", "this")), 403);
  EXPECT_EQ(http_status(post("Host: evil.example\r\n" + known, "this")), 403);
  EXPECT_EQ(http_status(post(here + known + "Origin: http://evil.example\r\n", "this")), 403);
  EXPECT_EQ(http_status(post(here + known, std::string(PageRequest::kMostBody + 1, 'x'))), 413);
  EXPECT_EQ(http_status(http_answer(address, "DELETE / HTTP/1.1\r\n" + here + known + "Connection: close\r\n\r\n")),
            405);
  EXPECT_EQ(http_status(http_answer(address, "GET /news HTTP/1.1\r\n" + here + known + "Connection: close\r\n\r\n")),
            200);
  EXPECT_EQ(http_status(http_answer(address, "GET /news HTTP/1.1\r\n" + here + "Connection: close\r\n\r\n")), 403);
}

// Any user of this machine may connect, and say little and slowly.
TEST(Live, WhoDoesNotShowTheTokenKeepsNobodyOut) {
  if (!PageServer::available()) GTEST_SKIP() << "this build has no HTTP server";
  const PageServer of_page("the page");
  const PageServer of_run([](const PageRequest&) { return PageAnswer{200, "the page"}; }, 0);
  for (const PageServer* server : {&of_page, &of_run}) {
    const std::string address = server->address();
    const std::string host = http_host(address);
    std::vector<int> strangers;
    for (int i = 0; i < 60; ++i) {
      strangers.push_back(http_connection(address));
      EXPECT_EQ(::send(strangers.back(), "G", 1, MSG_NOSIGNAL), 1);
    }
    const auto begin = std::chrono::steady_clock::now();
    const std::string get = "GET /?" + address.substr(address.find("token=")) + " HTTP/1.1\r\nHost: " + host + "\r\n";
    EXPECT_TRUE(http_answer(address, get + "Connection: close\r\n\r\n").ends_with("the page"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
    char buffer[64];
    // the others are closed soon, however they go on
    for (const int stranger : strangers) {
      ::send(stranger, "E", 1, MSG_NOSIGNAL);
      while (::read(stranger, buffer, sizeof buffer) > 0) {
      }
      ::close(stranger);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  }
}

TEST(Live, BadInputIsRefusedBeforeTheRun) {
  const Folder folder("weir-live");
  const auto refuses = [&](const std::vector<std::string>& more, const std::string& why) {
    std::vector<std::string> all{"run", "tests/scenarios/star-incast-hpcc.toml", "-q"};
    all.insert(all.end(), more.begin(), more.end());
    const Output o = weir(all);
    EXPECT_EQ(o.status, 2) << o.out;
    EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
    EXPECT_TRUE(folder.names().empty());
  };
  const std::string out = folder / "a";
  refuses({"--view"}, "--view: what weir view shows stands in the results; write --out DIR");
  refuses({"--view-paused", "--out", out}, "--view-paused: there is no --view");
  refuses({"--view", "--checkpoint", "1 ms", "--out", out}, "keeps no checkpoints");
  refuses({"--view", "--pcap", folder / "p", "--out", out}, "--pcap");
  refuses({"--view", "--steer", "x", "--out", out}, "--steer");
  refuses({"--steer", folder / "x", "--out", out}, "x");
  refuses({"--view", "--set", "run.fidelity=flow", "--out", out}, "--view");
  const Output job = shell(
      "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 $weir run tests/scenarios/star-incast-hpcc.toml -q "
      "--view --out " +
      out);
  EXPECT_EQ(job.status, 2);
  EXPECT_NE(job.err.find("mpirun has started 2 processes"), std::string::npos) << job.err;
  if (!can_serve()) return;
  refuses({"--view=http", "--out", out}, "that is no port");
  refuses({"--view=70000", "--out", out}, "that is no port");
  const PageServer server("the page");
  const std::string host = http_host(server.address());
  refuses({"--view=" + host.substr(host.find(':') + 1), "--out", out}, "cannot be listened at");
}

}  // namespace
}  // namespace weir::app::live_test
