#include "weir/ranks.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string_view>
#include <thread>

#include "weir/base/archive.h"
#include "weir/base/checksum.h"
#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/base/text_file.h"
#include "weir/base/version.h"
#include "weir/cc/plugin.h"
#include "weir/engine/parallel/exchange.h"
#include "weir/output.h"

namespace weir::app {
namespace {

// What a starter of MPI tells its processes, and the module for its MPI.
struct Starter {
  const char* size;
  const char* rank;
  const char* module;
  const char* package;
};
constexpr std::array kStarters{
    Starter{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "libweir-ranks-openmpi.so", "libopenmpi-dev"},
    Starter{"PMI_SIZE", "PMI_RANK", "libweir-ranks-mpich.so", "libmpich-dev"}};

std::string text_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

// Most faults are those of all ranks, and then the first one tells them and ends the others.
void let_the_first_speak(bool is_first) {
  if (!is_first) std::this_thread::sleep_for(std::chrono::seconds(1));
}

std::filesystem::path folder_of_modules() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / WEIR_RANKS_FOLDER;
}

std::unique_ptr<engine::Ranks> open_module(const Starter& starter, const std::string& size) {
  const auto error = [&](const std::string& why) {
    let_the_first_speak(text_of(starter.rank) == "0");
    return InputError(
        fmt::format("mpirun has started {} processes as ranks of one run, and {} (or start weir without "
                    "mpirun; {} says how many there are)",
                    printable(size), why, starter.size));
  };
  const std::string file = (folder_of_modules() / starter.module).lexically_normal().string();
  if (!std::filesystem::exists(file))
    throw error(
        fmt::format("{} is not there, by which they find each other: install {} and build again with ./dev build", file,
                    starter.package));
  // Parts of Open MPI that it loads itself look for its names among those that all share.
  void* const module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) throw error(fmt::format("{} cannot be loaded: {}", file, ::dlerror()));
  const auto version_of = reinterpret_cast<const char* (*)()>(::dlsym(module, "weir_ranks_version"));
  const auto open = reinterpret_cast<engine::Ranks* (*)()>(::dlsym(module, "weir_ranks_open"));
  if (version_of == nullptr || open == nullptr) throw error(fmt::format("{} is no module of weir", file));
  if (version_of() != version())
    throw error(fmt::format("{} is of weir {}, and this is {}", file, version_of(), version()));
  std::unique_ptr<engine::Ranks> out(open());
  if (out == nullptr) throw error("MPI cannot be begun");
  return out;
}

// Null if this process is by itself.
std::unique_ptr<engine::Ranks> join() {
  const std::string size = started_ranks();
  if (size.empty()) return nullptr;
  for (const Starter& starter : kStarters)
    if (!text_of(starter.size).empty()) return open_module(starter, size);
  return nullptr;
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// All ranks end, for a reason that all know.
struct Ended {
  int status;
  std::string why;
};

struct Fault {
  int status = 0;  // 0 = there is none
  std::string why;
};

Fault fault_now() {
  try {
    throw;
  } catch (const InputError& error) {
    return {2, error.what()};
  } catch (const std::bad_alloc&) {
    return {1, "out of memory"};
  } catch (const std::exception& error) {
    return {1, error.what()};
  } catch (...) {
    return {1, "an exception of an unknown kind"};
  }
}

std::string name_of(std::size_t rank, std::size_t ranks, std::string_view host) {
  return fmt::format("rank {} of {} on {}", rank, ranks, one_line(host, kQuoted));
}

void end_all_for_fault(engine::Ranks& ranks) {
  const Fault fault = fault_now();
  let_the_first_speak(ranks.rank() == 0);
  notice("weir: {}: {}", name_of(ranks.rank(), ranks.size(), host_name()), fault.why);
  ranks.abort(fault.status);
}

}  // namespace

std::string started_ranks() {
  for (const Starter& starter : kStarters)
    if (const std::string size = text_of(starter.size); !size.empty()) return size == "1" ? "" : size;
  return "";
}

int on_ranks(const std::function<int(engine::Ranks*)>& body) {
  const std::unique_ptr<engine::Ranks> ranks = join();
  if (ranks == nullptr) return body(nullptr);
  try {
    // Before the ranks part: mpirun may end this one as soon as another has ended with a status other than 0.
    return finish_output(body(ranks.get()));
  } catch (const Ended& ended) {
    if (ranks->rank() == 0) notice("weir: {}", ended.why);
    return ended.status;
  } catch (const engine::RankFailure& failure) {
    if (ranks->rank() == 0) notice("weir: {}", failure.what());
    return 1;
  } catch (...) {
    end_all_for_fault(*ranks);
  }
  return 1;
}

void together(engine::Ranks* ranks, const std::function<void()>& step) {
  if (ranks == nullptr) return step();
  Fault fault;
  try {
    step();
  } catch (...) {
    fault = fault_now();
  }
  Saver own;
  own.value(fault.status);
  own.text(fault.why);
  own.text(host_name());
  const std::vector<std::string> all = engine::gather(*ranks, own.content());
  std::vector<Fault> faults(all.size());
  std::vector<std::string> hosts(all.size());
  for (std::size_t r = 0; r < all.size(); ++r) {
    Loader a(all[r]);
    a.value(faults[r].status);
    a.text(faults[r].why);
    a.text(hosts[r]);
  }
  const auto first = std::find_if(faults.begin(), faults.end(), [](const Fault& f) { return f.status != 0; });
  if (first == faults.end()) return;
  const bool is_common = std::all_of(faults.begin(), faults.end(), [&](const Fault& f) { return f.why == first->why; });
  const auto rank = static_cast<std::size_t>(first - faults.begin());
  // What the first one does, it does for all.
  if (is_common || rank == 0) throw Ended{first->status, first->why};
  throw Ended{first->status, fmt::format("{}: {}", name_of(rank, all.size(), hosts[rank]), first->why)};
}

void must_agree(engine::Ranks* ranks, const Facts& facts) {
  if (ranks == nullptr) return;
  Saver own;
  own.text(host_name());
  own.text("program");
  own.text(fmt::format("{}, {}", version(), checksum_of(read_bytes("/proc/self/exe", "this program"))));
  std::string plugins;
  for (const cc::Plugin& plugin : cc::loaded_plugins()) plugins += (plugins.empty() ? "" : ", ") + plugin.checksum;
  own.text("--plugin");
  own.text(plugins.empty() ? "none" : plugins);
  for (const auto& [name, what] : facts) {
    own.text(name);
    own.text(what);
  }
  const std::vector<std::string> all = engine::gather(*ranks, own.content());
  for (std::size_t r = 1; r < all.size(); ++r) {
    Loader first(all[0]);
    Loader other(all[r]);
    std::array<std::string, 2> hosts;
    first.text(hosts[0]);
    other.text(hosts[1]);
    const auto other_than_first = [&](std::string_view name, std::string_view a, std::string_view b) {
      return Ended{2, fmt::format("ranks must run the same, and {} has another {} than rank 0 on {}: {}, not {}",
                                  name_of(r, all.size(), hosts[1]), name, hosts[0], b, a)};
    };
    while (!first.at_end() && !other.at_end()) {
      std::array<std::string, 2> names;
      std::array<std::string, 2> what;
      first.text(names[0]);
      first.text(what[0]);
      other.text(names[1]);
      other.text(what[1]);
      if (names[0] != names[1]) throw other_than_first("data file", names[0], names[1]);
      if (what[0] != what[1]) throw other_than_first(names[0], what[0], what[1]);
    }
    if (!first.at_end() || !other.at_end()) throw other_than_first("number of data files", "as many", "more or fewer");
  }
}

std::uint32_t ranks_here(engine::Ranks* ranks) {
  if (ranks == nullptr) return 1;
  const std::string here = host_name();
  const std::vector<std::string> all = engine::gather(*ranks, std::string_view(here));
  return static_cast<std::uint32_t>(std::count(all.begin(), all.end(), here));
}

std::vector<std::string> crowding(engine::Ranks& ranks, std::uint32_t threads) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ::sched_getaffinity(0, sizeof(allowed), &allowed);
  Saver own;
  own.text(host_name());
  own.value(threads);
  own.value(allowed);
  const std::vector<std::string> all = engine::gather(ranks, own.content());
  struct Host {
    std::uint32_t ranks = 0;
    std::uint32_t threads = 0;
    std::set<int> processors;
  };
  std::map<std::string, Host> hosts;
  std::vector<std::string> out;
  for (std::size_t r = 0; r < all.size(); ++r) {
    Loader a(all[r]);
    std::string name;
    std::uint32_t of_rank = 0;
    a.text(name);
    a.value(of_rank);
    a.value(allowed);
    Host& host = hosts[name];
    ++host.ranks;
    host.threads += of_rank;
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &allowed)) host.processors.insert(i);
    if (static_cast<int>(of_rank) > CPU_COUNT(&allowed) && out.empty())
      out.push_back(
          fmt::format("{} has {} threads and may use {} processor{}; start it with --bind-to none, or bind "
                      "ranks to more",
                      name_of(r, all.size(), name), of_rank, CPU_COUNT(&allowed), CPU_COUNT(&allowed) == 1 ? "" : "s"));
  }
  for (const auto& [name, host] : hosts)
    if (host.threads > host.processors.size() && out.empty())
      out.push_back(
          fmt::format("{} ranks on {} have {} threads for {} processor{}; each waits for the others, so that "
                      "fewer would be faster",
                      host.ranks, one_line(name, kQuoted), host.threads, host.processors.size(),
                      host.processors.size() == 1 ? "" : "s"));
  if (ranks.rank() != 0) out.clear();
  return out;
}

}  // namespace weir::app
