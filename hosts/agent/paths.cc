#include "hosts/agent/paths.h"

#include <fmt/format.h>

namespace weir::hosts {
namespace {

std::unique_ptr<DataPath> open_bpf([[maybe_unused]] const PathSettings& settings) {
#ifdef WEIR_HOSTS_BPF
  return attach_bpf(settings);
#else
  throw Unavailable("this weir-host was built without the path in the kernel",
                    "install libbpf-dev and clang, and build it again");
#endif
}

std::unique_ptr<DataPath> open_queue([[maybe_unused]] const PathSettings& settings) {
#ifdef WEIR_HOSTS_QUEUE
  return attach_queue(settings);
#else
  throw Unavailable("this weir-host was built without the path in user space",
                    "install libnetfilter-queue-dev, and build it again");
#endif
}

std::string sentence(const Unavailable& error) {
  return error.remedy().empty() ? error.what() : fmt::format("{}; {}", error.what(), error.remedy());
}

}  // namespace

OpenPath open_path(Mode mode, const PathSettings& settings) {
  if (mode == Mode::bpf) return {"bpf", open_bpf(settings), ""};
  if (mode == Mode::queue) return {"queue", open_queue(settings), ""};
  std::string why;
  try {
    return {"bpf", open_bpf(settings), ""};
  } catch (const Unavailable& error) {
    why = sentence(error);
  }
  try {
    return {"queue", open_queue(settings), "it observes by the path in user space, since " + why};
  } catch (const Unavailable& error) {
    throw Unavailable(fmt::format("neither path can be had: {}; and {}", why, error.what()), error.remedy());
  }
}

}  // namespace weir::hosts
