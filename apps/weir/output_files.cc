#include "weir/output_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "weir/base/error.h"

namespace weir::app {
namespace {

// A name under which nothing can be written is the user's to mend; a full disk is not.
bool is_name_at_fault(const std::error_code& code) {
  for (const auto fault : {std::errc::permission_denied, std::errc::operation_not_permitted,
                           std::errc::no_such_file_or_directory, std::errc::not_a_directory, std::errc::is_a_directory,
                           std::errc::filename_too_long, std::errc::read_only_file_system,
                           std::errc::too_many_symbolic_link_levels, std::errc::no_such_device_or_address})
    if (code == fault) return true;
  return false;
}

template <class F>
void attempt(F&& act) {
  try {
    act();
  } catch (const std::system_error& error) {
    if (is_name_at_fault(error.code())) throw InputError(error.what());
    throw;
  }
}

}  // namespace

void OutputFiles::write(const std::string& target, std::string_view text) {
  attempt([&] { files_.write(target, text); });
}

void OutputFiles::commit() {
  attempt([&] { files_.commit(); });
}

void make_folder(const std::string& path, const char* option) {
  std::error_code error;
  if (!path.empty()) std::filesystem::create_directories(path, error);
  if (error) throw InputError(fmt::format("{}: cannot create {}: {}", option, path, error.message()));
}

}  // namespace weir::app
