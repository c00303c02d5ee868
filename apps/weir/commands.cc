#include "weir/commands.h"

#include <string>

namespace weir::app {

CLI::Validator not_empty() {
  return {[](std::string& value) { return value.empty() ? std::string("it is empty; write a value") : std::string(); },
          ""};
}

}  // namespace weir::app
