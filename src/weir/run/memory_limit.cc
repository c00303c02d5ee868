#include "weir/run/memory_limit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "weir/base/error.h"
#include "weir/base/params.h"

namespace weir::run {
namespace {

namespace fs = std::filesystem;

// A version of control groups: where they are, and what their files are called.
struct Version {
  const char* folder;
  const char* limit;
  const char* used;
  const char* cache;  // of files, in memory.stat; it is counted as used, and given up when memory is asked for
};
constexpr Version kFirst{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                         "total_inactive_file"};
constexpr Version kSecond{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};

// Nothing if there is no such file, or no number in it ("max").
std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t out = 0;
  return file >> out ? std::optional(out) : std::nullopt;
}

// Of a file with a name and a number in each line.
std::optional<std::uint64_t> number_of(const fs::path& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    std::uint64_t out = 0;
    if (words >> first >> out && first == name) return out;
  }
  return std::nullopt;
}

std::uint64_t difference(std::uint64_t a, std::uint64_t b) { return a - std::min(a, b); }

std::optional<std::uint64_t> left_in(const fs::path& group, const Version& v) {
  const auto limit = number_in(group / v.limit);
  if (!limit) return std::nullopt;
  const auto used = number_in(group / v.used).value_or(0);
  const auto cache = number_of(group / "memory.stat", v.cache).value_or(0);
  return difference(*limit, difference(used, cache));
}

}  // namespace

std::uint64_t memory_left(const std::string& root) {
  const auto available = number_of(root + "/proc/meminfo", "MemAvailable:");
  std::uint64_t out = available ? *available * 1024 : std::uint64_t{4} << 30;
  // each line is "number:controllers:/path", without controllers in the second version; every group on the path has a
  // limit of its own. A container may see no more of it than its own group, in the place of the first one.
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string number, controllers, path;
       std::getline(groups, number, ':') && std::getline(groups, controllers, ':') && std::getline(groups, path);) {
    const bool is_first = fmt::format(",{},", controllers).find(",memory,") != std::string::npos;
    if (!is_first && !controllers.empty()) continue;
    const Version& version = is_first ? kFirst : kSecond;
    fs::path group = root + version.folder;
    for (const auto& part : fs::path(path)) {  // the first one is "/"
      group /= part.relative_path();
      out = std::min(out, left_in(group, version).value_or(out));
    }
  }
  return out;
}

std::uint64_t memory_resident() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  return file >> all >> resident ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

void refuse_beyond(std::uint64_t limit, std::uint64_t estimate, const std::string& what) {
  if (estimate <= limit) return;
  throw InputError(fmt::format(
      "{} may need {:.0f} MB of memory, and the limit is {:.0f} MB; take fewer flows or hosts, or raise the limit with "
      "--memory",
      what, static_cast<double>(estimate) * 1e-6, static_cast<double>(limit) * 1e-6));
}

std::uint64_t memory_limit(const std::string& text) {
  if (text.empty()) return memory_left() / 5 * 4;
  try {
    return static_cast<std::uint64_t>(parse_bytes(text).count);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--memory: {}", error.what()));
  }
}

}  // namespace weir::run
