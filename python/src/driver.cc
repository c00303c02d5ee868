#include "driver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kept_alive.h"
#include "module.h"
#include "units.h"
#include "weir/base/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace weir::python {
namespace {

// Ports of messages: channels are source ports from the first one on.
constexpr std::uint16_t kFirstPort = 10000;
constexpr std::uint16_t kPort = 100;
constexpr std::uint32_t kChannels = 50000;

// What a program can name of a run.
struct Known {
  std::uint32_t hosts = 0;
  std::vector<std::string> tags;
  std::vector<std::string> profiles;
};
using KnownPtr = std::shared_ptr<const Known>;

std::uint16_t index_of(const std::vector<std::string>& names, std::string_view name, const char* key) {
  if (name.empty()) return 0;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::uint16_t>(found - names.begin());
  throw InputError(key, fmt::format("there is no '{}'; valid is one of: {}", name, fmt::join(names, ", ")));
}

// A message as Python sees it.
struct Told {
  traffic::Message message;
  KnownPtr known;
};

// The desk of the present call as Python sees it; outside of a call it is none.
struct PythonDesk {
  traffic::Desk* present = nullptr;
  KnownPtr known;

  traffic::Desk& desk() const {
    if (present == nullptr)
      throw nb::builtin_exception(nb::exception_type::runtime_error,
                                  "a desk is of use only while the driver is called with it");
    return *present;
  }
  Time instant(nb::handle at) const {
    const Time out = time_of(at, "at");
    if (out < desk().now())
      throw InputError("at", fmt::format("{} ps is before the present instant, {} ps", out.ps, desk().now().ps));
    return out;
  }

  void send(std::uint32_t dst, nb::handle size, std::uint64_t word, std::uint32_t channel, const std::string& tag,
            const std::string& profile, bool listed) const {
    if (channel >= kChannels)
      throw InputError("channel", fmt::format("{} is not possible; valid is 0 to {}", channel, kChannels - 1));
    desk().send({.id = listed ? traffic::kAnyId : traffic::kAnyUnlistedId,
                 .word = word,
                 .size = bytes_of(size, "size"),
                 .dst = dst,
                 .tag = index_of(known->tags, tag, "tag"),
                 .profile = index_of(known->profiles, profile, "profile"),
                 .sport = static_cast<std::uint16_t>(kFirstPort + channel),
                 .dport = kPort});
  }
  void wake(nb::handle at, std::uint32_t word) const { desk().wake(instant(at), word); }
  void post(std::uint32_t host, std::uint64_t word, nb::handle at) const {
    if (host >= known->hosts || host == desk().host())
      throw InputError("host", fmt::format("{} is no other host; valid is 0 to {}", host, known->hosts - 1));
    desk().post(host, word, at.is_none() ? Time{} : instant(at));
  }
};

class PythonDriver final : public traffic::Driver {
 public:
  PythonDriver(std::shared_ptr<nb::object> driver, KnownPtr known)
      : driver_(std::move(driver)), known_(std::move(known)) {
    const nb::gil_scoped_acquire acquire;
    if (!nb::try_cast(driver_->attr("tasks"), tasks_) || tasks_ == 0)
      throw InputError("tasks", "it tells how many of desk.done() the run waits for; valid is 1 or more");
    desk_ = kept_alive(nb::cast(PythonDesk{nullptr, known_}));
  }

  std::uint64_t tasks() const override { return tasks_; }
  bool posts() const override { return true; }

  void begin(traffic::Desk& desk) override { call(desk, "begin"); }
  void received(traffic::Desk& desk, const traffic::Message& m) override { call(desk, "received", Told{m, known_}); }
  void sent(traffic::Desk& desk, const traffic::Message& m) override { call(desk, "sent", Told{m, known_}); }
  void woken(traffic::Desk& desk, std::uint32_t word) override { call(desk, "woken", word); }
  void posted(traffic::Desk& desk, std::uint32_t from, std::uint64_t word) override {
    call(desk, "posted", from, word);
  }

  std::unique_ptr<Driver> clone() const override {
    const nb::gil_scoped_acquire acquire;
    return std::make_unique<PythonDriver>(kept_alive(from_bytes(to_bytes())), known_);
  }
  // The object knows all hosts: it is saved and loaded with the first one.
  void archive(Saver& a, std::uint32_t host) override {
    if (host != 0) return;
    const nb::gil_scoped_acquire acquire;
    a.text(to_bytes());
  }
  void archive(Loader& a, std::uint32_t host) override {
    if (host != 0) return;
    std::string bytes;
    a.text(bytes);
    const nb::gil_scoped_acquire acquire;
    *driver_ = from_bytes(bytes);
  }

 private:
  // What a desk is asked for happens after the call, so that no call is made within another one.
  template <class... Values>
  void call(traffic::Desk& desk, const char* name, Values&&... values) {
    const nb::gil_scoped_acquire acquire;
    struct Present {
      PythonDesk& seen;
      Present(PythonDesk& s, traffic::Desk& d) : seen(s) { seen.present = &d; }
      Present(const Present&) = delete;
      ~Present() { seen.present = nullptr; }
    };
    const Present present(*nb::inst_ptr<PythonDesk>(*desk_), desk);
    driver_->attr(name)(*desk_, std::forward<Values>(values)...);
  }

  std::string to_bytes() const {
    const nb::bytes bytes(nb::module_::import_("pickle").attr("dumps")(*driver_));
    return {bytes.c_str(), bytes.size()};
  }
  static nb::object from_bytes(const std::string& bytes) {
    return nb::module_::import_("pickle").attr("loads")(nb::bytes(bytes.data(), bytes.size()));
  }

  std::shared_ptr<nb::object> driver_;
  KnownPtr known_;
  std::shared_ptr<nb::object> desk_;
  std::uint64_t tasks_ = 0;
};

}  // namespace

std::unique_ptr<traffic::Driver> driver_of(std::shared_ptr<nb::object> driver, const Simulation& run) {
  return std::make_unique<PythonDriver>(
      std::move(driver),
      std::make_shared<const Known>(Known{run.engine().network().hosts(), run.tags(), run.profiles()}));
}

void add_drivers(nb::module_& m) {
  nb::class_<Told>(m, "Message", "What a driver lets a host send to another one. In results it is a flow.")
      .def_prop_ro(
          "message_id", [](const Told& t) { return t.message.id; }, "The flow_id of results.")
      .def_prop_ro(
          "src", [](const Told& t) { return t.message.src; }, "Sending host.")
      .def_prop_ro(
          "dst", [](const Told& t) { return t.message.dst; }, "Receiving host.")
      .def_prop_ro(
          "size_bytes", [](const Told& t) { return t.message.size.count; }, "Payload.")
      .def_prop_ro(
          "word", [](const Told& t) { return t.message.word; }, "What Desk.send() was given.")
      .def_prop_ro("channel", [](const Told& t) { return t.message.sport - kFirstPort; })
      .def_prop_ro(
          "started_ps", [](const Told& t) { return t.message.started.ps; }, "When it was handed to its sender.")
      .def_prop_ro("tag", [](const Told& t) { return t.known->tags.at(t.message.tag); })
      .def_prop_ro("profile", [](const Told& t) { return t.known->profiles.at(t.message.profile); });
  nb::class_<PythonDesk>(m, "Desk", "What a driver can do for one host, during one call.")
      .def_prop_ro(
          "host", [](const PythonDesk& d) { return d.desk().host(); }, "Whom the call is about.")
      .def_prop_ro(
          "now_ps", [](const PythonDesk& d) { return d.desk().now().ps; }, "When it has happened.")
      .def_prop_ro(
          "lag_ps", [](const PythonDesk& d) { return d.desk().lag().ps; }, "How long post() takes at least: an epoch.")
      .def("send", &PythonDesk::send, "dst"_a, "size"_a, "word"_a = 0, nb::kw_only(), "channel"_a = 0, "tag"_a = "",
           "profile"_a = "", "listed"_a = true,
           nb::sig("def send(self, dst: int, size: int | str, word: int = 0, *, channel: int = 0, tag: str = '', "
                   "profile: str = '', listed: bool = True) -> None"),
           "Sends a message from this host, now. Several leave in the order of their calls.\n\n"
           "word      0 to 2**64 - 1, which both ends are told\n"
           "channel   messages of the same hosts, channel and profile take one path, and are of one connection if the\n"
           "          scenario keeps connections\n"
           "listed    False: it is no row of the results")
      .def("wake", &PythonDesk::wake, "at"_a, "word"_a = 0,
           nb::sig("def wake(self, at: int | str, word: int = 0) -> None"),
           "Calls woken() for this host at this instant. Those of one instant come in order of `word`, 0 to 2**32 - 1.")
      .def(
          "post", &PythonDesk::post, "host"_a, "word"_a = 0, "at"_a.none() = nb::none(),
          nb::sig("def post(self, host: int, word: int = 0, at: int | str | None = None) -> None"),
          "Calls posted() for another host, `lag_ps` from now or, if that is later, at this instant, without a packet.")
      .def(
          "done", [](const PythonDesk& d, std::uint64_t tasks) { d.desk().done(tasks); }, "tasks"_a = 1,
          nb::sig("def done(self, tasks: int = 1) -> None"),
          "So many of the driver's tasks are done. When all are, the run waits for it no more.");
}

}  // namespace weir::python
