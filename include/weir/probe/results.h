// The directory and files of a run's results, for probes that write tables. A result is either complete or visibly not:
//
//   ResultDirectory out("results/a");   // takes the name, or refuses, before anything is simulated
//   out.write("scenario.toml", text);
//   ... files are written next to the target, in results/a.partial-run ...
//   out.commit();                       // one rename
//
// in_memory() makes one whose files are texts in memory instead.
//
// Without commit() nothing remains, unless a checkpoint was kept. A process that is killed leaves only the partial
// directory. The next run of this name clears it, or, if it has a checkpoint, `weir resume` goes on from it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "weir/base/archive.h"
#include "weir/base/checksum.h"
#include "weir/result/contents.h"

namespace weir::probe {

// The name of the checkpoint in the directory of a run that has not ended by itself; it is no part of the result.
inline constexpr std::string_view kCheckpoint = "checkpoint";

// A file that is written from front to back through a buffer. Functions that cannot write, such as on
// a full disk, throw std::system_error with the file's name.
class ResultFile {
 public:
  // Opens the file and empties it, or, if `keep` is true, keeps its content for archive(Loader&); throws InputError if
  // such a file does not exist. `shown` is its name in messages. close() puts size and checksum into `facts`, which
  // must outlive this, unless it is null.
  ResultFile(const std::string& path, std::string shown, result::FileFacts* facts = nullptr, bool keep = false);
  // A file in memory: what is written is appended to `text`, which must outlive this; null: nothing is kept.
  explicit ResultFile(std::string* text) : memory_(text), nowhere_(text == nullptr) {}
  ResultFile(ResultFile&&) noexcept;
  ResultFile& operator=(ResultFile&&) = delete;
  ~ResultFile();  // closes the file; what has not been flushed is lost

  void write(std::string_view text) {
    if (buffer_.size() == 0 && text.size() >= kFlushAt) return put(text);
    buffer_.append(text.data(), text.data() + text.size());
    if (buffer_.size() >= kFlushAt) flush();
  }
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(fmt::appender(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= kFlushAt) flush();
  }
  void flush();
  // Flushes, and waits until the disk has what has been written.
  void sync();
  // Flushes and waits as sync() does, then saves the length of the file and the checksum of what it holds. A file in
  // memory is saved whole.
  void archive(Saver& a);
  // Takes the file back to the length that was saved: what was written later is cut off. Throws InputError if the file
  // is shorter than that, or holds something else up to there.
  void archive(Loader& a);
  // Flushes and closes the file. Throws std::system_error if the operating system reports an error by then.
  void close();

 private:
  static constexpr std::size_t kFlushAt = 1u << 16;

  void put(std::string_view text);

  std::string* memory_ = nullptr;  // null: a file of the file system, or of none
  bool nowhere_ = false;
  int descriptor_ = -1;
  std::string shown_;
  result::FileFacts* facts_ = nullptr;
  Checksum checksum_;
  std::uint64_t bytes_ = 0;
  bool cut_ = false;  // what lies after `bytes_` must still be cut off
  fmt::memory_buffer buffer_;
};

// The directory of a result while it is written, under its partial name and locked against other runs.
class ResultDirectory {
 public:
  // Creates the partial directory, with missing parents. Throws InputError if the target exists, unless it is an empty
  // directory; if it is a symbolic link to nothing; if another ResultDirectory of any process has taken the name; if a
  // run of this name has left a checkpoint; or if the directory cannot be created.
  explicit ResultDirectory(const std::string& target);
  // Makes one whose files are not kept, for a process that computes a result which another one writes. Functions about
  // the place of the directory do nothing.
  static std::unique_ptr<ResultDirectory> nowhere();
  // Makes one whose files are kept as texts in memory. It has no place for a checkpoint or for another result: the
  // functions about those throw std::logic_error.
  static std::unique_ptr<ResultDirectory> in_memory();
  // The files of such a directory by name. All of them must have been closed.
  std::map<std::string, std::string> take_texts() { return std::move(texts_); }
  // The directory with the files and the checkpoint of a run that did not end by itself: the partial one if the run was
  // killed, the target if it was interrupted. Throws InputError if there is none.
  static std::string left_behind(const std::string& target);
  // Locks that directory, so that its run can go on; files that are opened keep what they hold. Nothing is changed
  // before has_gone_on(), and until then partial() is the directory as it was left. Throws InputError if there is none,
  // if another run is writing it, or if something else has the name of the target.
  static std::unique_ptr<ResultDirectory> resume(const std::string& target);
  // From this call until has_gone_on(), files that are opened keep what they hold.
  void keep_files() { keeps_ = true; }
  // Copies all files but the checkpoint from `folder`, the directory of another run, then does as keep_files().
  void take_copies(const std::string& folder);
  // The run has been brought back to its checkpoint: the directory gets its partial name and is written again.
  void has_gone_on();
  ResultDirectory(const ResultDirectory&) = delete;
  ~ResultDirectory();

  // Opens a file of the result. The directory must outlive it.
  ResultFile file(std::string_view name);
  // Opens a table and writes its header line. Throws std::logic_error if result/tables.h has no such table.
  ResultFile table(std::string_view name);
  // Writes a whole file, which replaces an earlier one of this name.
  void write(std::string_view name, std::string_view text);
  // Counts a file that is in the directory already as one of the result.
  void adopt(std::string_view name);
  // Writes a checkpoint of the run, whole or not at all, which replaces an earlier one. The directory then remains even
  // without commit().
  void keep_checkpoint(std::string_view content);
  // States that the run has ended by itself: commit() then removes the checkpoint, if there is one.
  void has_ended() { has_ended_ = true; }
  void remove(std::string_view name);
  // The size and checksum of each file but the manifest; 0 and "" for a file that has not been closed.
  result::Contents contents() const;

  // The path for another result inside this one. That result must be committed before this one.
  std::string within(std::string_view name) const;

  // Renames the partial directory to the target. All files must have been closed. Throws std::system_error.
  void commit();

  // The final name, as the user gave it.
  const std::string& name() const { return shown_; }
  // Whether anything is kept.
  bool is_nowhere() const { return nowhere_; }
  // The directory in which the files are until commit().
  const std::string& partial() const { return partial_; }

 private:
  ResultDirectory() = default;
  void must_be_on_disk() const;

  std::string shown_;
  std::string target_;
  bool keeps_ = false;                        // files that are opened keep what they hold
  bool has_ended_ = false;                    // the run has ended by itself: its checkpoint is of no more use
  bool remains_ = false;                      // the directory stays without commit(), with its checkpoint
  std::string partial_;                       // empty once committed
  int lock_ = -1;                             // descriptor of partial_, open and locked
  std::vector<std::string> created_parents_;  // outermost first
  result::Contents contents_;
  bool in_memory_ = false;
  bool nowhere_ = false;
  std::map<std::string, std::string> texts_;  // the files in memory
};

}  // namespace weir::probe
