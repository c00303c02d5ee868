// Tables of a result, as the module has them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "weir/result/columns.h"

namespace weir::result {
class Directory;
}

namespace weir::python {

// A table that never changes.
struct Table {
  std::shared_ptr<const result::Columns> data;
};

// The tables of a run, as texts until they are asked for; or those of a directory.
class Tables {
 public:
  explicit Tables(std::map<std::string, std::string> texts);
  // Throws InputError if the directory is not as a run has written it.
  explicit Tables(const std::string& folder);
  ~Tables();
  Tables(Tables&&) = default;

  std::vector<std::string> files() const;
  // Throws KeyError.
  Table get(const std::string& file);
  // Of a directory: a file of it, summary.json for example.
  std::string text(const std::string& file) const;

 private:
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::shared_ptr<const result::Columns>> read_;
  std::shared_ptr<const result::Directory> directory_;  // null: the texts
};

}  // namespace weir::python
