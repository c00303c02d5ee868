// weir-host up.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "hosts/agent/commands.h"
#include "hosts/agent/log.h"
#include "hosts/agent/serve.h"
#include "hosts/path/data_path.h"

namespace weir::hosts {
namespace {

struct UpOptions {
  std::string mode;
  bool foreground = false;
};

std::string up_text(const Config& config) {
  return fmt::format(
      "weir-host is up: mode {} on {}, {} peer{}; weir-host status tells what it does, weir-host off "
      "ends it\n",
      name_of(config.mode), fmt::join(config.interfaces, ", "), config.peers.size(),
      config.peers.size() == 1 ? "" : "s");
}

// serve(), whose errors are an exit status and a line.
struct Failure {
  int status = 0;
  std::string what;
};

template <class Work>
Failure failure_of(Work&& work) {
  try {
    return {work(), ""};
  } catch (const InputError& error) {
    return {2, error.what()};
  } catch (const Unavailable& error) {
    return {2, error.remedy().empty() ? error.what() : fmt::format("{}; {}", error.what(), error.remedy())};
  } catch (const std::exception& error) {
    return {1, error.what()};
  }
}

void write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const auto size = ::write(fd, text.data() + done, text.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    done += static_cast<std::size_t>(size);
  }
}

// The process that stays: no terminal, its log in the folder of the agent.
void become_daemon(const RunDir& dir) {
  ::setsid();
  ::unsetenv("NOTIFY_SOCKET");  // of whoever started it, and would wait for this process
  if (::chdir("/") != 0) throw std::runtime_error("the folder / cannot be entered");
  const Descriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor log_file(
      ::open(dir.log().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!input || !log_file) throw std::runtime_error(dir.log() + ": the log cannot be written");
  ::dup2(input.get(), STDIN_FILENO);
  ::dup2(log_file.get(), STDOUT_FILENO);
  ::dup2(log_file.get(), STDERR_FILENO);
}

// In the process that stays. What it has to say until it is up goes into the pipe: "0" and warnings, or the exit status
// and the reason, a line each; who reads it tells people, and what is told there is also in the log of the daemon.
int stay(const Config& config, const std::function<Config()>& load, const MasterKey& key, RunDir& dir,
         Descriptor tell) {
  bool has_log = false;
  const auto failure = failure_of([&] {
    become_daemon(dir);
    has_log = true;
    return serve(config, load, key, dir, [&](const auto& warnings) {
      std::string text = "0\n";
      for (const auto& warning : warnings) text += warning + "\n";
      write_all(tell.get(), text);
      tell = Descriptor();
    });
  });
  if (!failure.what.empty()) {
    if (tell) write_all(tell.get(), fmt::format("{}\n{}\n", failure.status, failure.what));
    if (has_log) log("{}", failure.what);
  }
  return failure.status;
}

int in_background(const Config& config, const std::function<Config()>& load, const MasterKey& key, RunDir& dir) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
  const Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error("no process can be started");
  if (pid == 0) std::_Exit(stay(config, load, key, dir, std::move(writer)));
  writer = Descriptor();
  std::string text;
  std::array<char, 4096> chunk;
  for (;;) {
    const auto size = ::read(reader.get(), chunk.data(), chunk.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(size));
  }
  if (text.empty()) throw std::runtime_error("the agent has ended at once; see " + dir.log());
  const auto end = text.find('\n');
  const int status = std::stoi(text.substr(0, end));
  for (auto at = end + 1; at < text.size();) {
    const auto stop = text.find('\n', at);
    log("{}{}", status == 0 ? "warning: " : "", text.substr(at, stop - at));
    at = stop == std::string::npos ? text.size() : stop + 1;
  }
  if (status == 0) show_text(up_text(config));
  return status;
}

// The configuration, whose mode the command line may have changed.
Config load(const std::string& file, const UpOptions& o) {
  Config out = load_config(file);
  if (!o.mode.empty()) try {
      out.mode = parse_mode(o.mode);
    } catch (const InputError& error) {
      throw InputError(std::string("--mode"), error.reason());
    }
  return out;
}

int up(const Common& common, const UpOptions& o) {
  const Config config = load(common.config, o);
  const auto load_again = [file = std::filesystem::absolute(common.config).string(), o] {
    Config out = load(file, o);
    check_peers(out);
    return out;
  };
  const MasterKey key = read_key_file(config.key_file);
  check_host(config);
  RunDir dir(common.run);
  dir.make();
  if (const auto pid = dir.holder()) throw AlreadyUp(*pid, dir);
  if (!o.foreground) return in_background(config, load_again, key, dir);
  const auto failure = failure_of([&] { return serve(config, load_again, key, dir, [](const auto&) {}); });
  if (!failure.what.empty()) log("{}", failure.what);
  return failure.status;
}

}  // namespace

void add_up(CLI::App& app, const Common& common, int& status) {
  auto o = std::make_shared<UpOptions>();
  CLI::App* command = app.add_subcommand("up", "Start the agent: observe, or hold packets");
  command->add_option(
      "--mode", o->mode,
      "observe: measure and hold nothing; bpf: hold by the kernel's fair queue; queue: hold by NFQUEUE; "
      "without it, the configuration's");
  command->add_flag("--foreground", o->foreground, "stay in the foreground, log to standard error");
  command->callback([o, &common, &status] { status = up(common, *o); });
}

}  // namespace weir::hosts
