// Files that appear whole or not at all.
//
//   WholeFiles files;
//   files.write("report.html", page);    // written beside its place, under another name
//   files.write("figures/a.svg", figure);
//   files.commit();                      // all of them get their names; without it nothing remains
//
// A symbolic link is followed, also one to a file that does not exist yet. What exists and is no regular file (a
// device, a FIFO, /dev/stdout) keeps its place: commit() writes into it first, and then gives the files their names in
// order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/probe/results.h"

namespace weir::probe {

class WholeFiles {
 public:
  WholeFiles() = default;
  WholeFiles(const WholeFiles&) = delete;
  WholeFiles& operator=(const WholeFiles&) = delete;
  ~WholeFiles();

  // A regular file that exists is replaced and keeps its permissions. No one else writes the same target at the same
  // time: the name beside it has the number of this process, which does not tell processes of different machines or
  // containers apart. Throws std::system_error that names the target, as commit() does.
  void write(const std::string& target, std::string_view text);
  // The same for a file that is written piece by piece, and closed before commit(). What is no regular file is written
  // at once.
  ResultFile open(const std::string& target);
  void commit();

 private:
  struct File {
    std::string partial;  // beside `place`
    std::string place;    // where the target's links lead
    std::string shown;    // the target as the caller names it
  };
  // Where the target is written until commit(); "" if it keeps its place.
  std::string partial_of(const std::string& target);
  struct InPlace {
    std::string target;
    std::string text;
  };
  std::vector<File> files_;
  std::vector<InPlace> in_place_;
};

// The same for one file.
void write_whole(const std::string& target, std::string_view text);

}  // namespace weir::probe
