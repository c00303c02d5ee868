// What libbpf prints while this exists: it tells by that what went wrong.
#pragma once

#include <bpf/libbpf.h>

#include <string>

namespace weir::hosts {

class LibbpfLog {
 public:
  LibbpfLog();
  ~LibbpfLog();
  LibbpfLog(const LibbpfLog&) = delete;
  LibbpfLog& operator=(const LibbpfLog&) = delete;

  // The last line that says why; "" if none does.
  static std::string reason();

 private:
  libbpf_print_fn_t before_;
};

}  // namespace weir::hosts
