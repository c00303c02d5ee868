#include "weir/installed_data.h"

namespace weir::app {

std::filesystem::path installed_data() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / WEIR_DATA_FOLDER).lexically_normal();
}

}  // namespace weir::app
