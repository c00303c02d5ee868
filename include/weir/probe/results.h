// The directory that a run leaves: whole, or visibly not.
//
//   ResultDirectory out("results/a");   // takes the name, or refuses, before anything is simulated
//   out.write("scenario.toml", text);
//   ... files are written next to the target, in results/a.partial-run ...
//   out.commit();                       // one rename
//
// Without commit() nothing remains, unless a checkpoint was kept. A process that is killed leaves only the partial
// directory, which the next run of this name clears, or which its run goes on from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "weir/base/archive.h"
#include "weir/base/checksum.h"
#include "weir/result/contents.h"

namespace weir::probe {

// The file of a checkpoint in the directory of a run that goes on or was ended from outside; no part of its result.
inline constexpr std::string_view kCheckpoint = "checkpoint";

// A file that is written from front to back through a buffer. Whoever cannot write (a full disk)
// throws std::system_error that names the file.
class ResultFile {
 public:
  // Replaces what is there, unless it is kept for archive(Loader&). `shown` is the name for messages. What the file is
  // known by is put in `facts` when it is closed, unless that is null; it must outlive this.
  ResultFile(const std::string& path, std::string shown, result::FileFacts* facts = nullptr, bool keep = false);
  ResultFile(ResultFile&&) noexcept;
  ResultFile& operator=(ResultFile&&) = delete;
  ~ResultFile();  // what has not been flushed is lost

  void write(std::string_view text) {
    buffer_.append(text.data(), text.data() + text.size());
    if (buffer_.size() >= kFlushAt) flush();
  }
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(fmt::appender(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= kFlushAt) flush();
  }
  void flush();
  // Flushes, and has the disk take what has been written.
  void sync();
  // The same; how much it is goes to the archive.
  void archive(Saver& a);
  // Takes the file back to what it was when it was saved: what came later is cut off. Throws InputError if it is
  // shorter.
  void archive(Loader& a);
  // Flushes and closes; the file is on its way to the disk without error so far.
  void close();

 private:
  static constexpr std::size_t kFlushAt = 1u << 16;

  int descriptor_ = -1;
  std::string shown_;
  result::FileFacts* facts_ = nullptr;
  Checksum checksum_;
  std::uint64_t bytes_ = 0;
  bool cut_ = false;  // what is behind `bytes_` is to be cut off
  fmt::memory_buffer buffer_;
};

class ResultDirectory {
 public:
  // Throws InputError if the target exists (an empty directory may; a link that leads nowhere may not), if another
  // ResultDirectory of this or another process has taken the name, or if it cannot be created. Missing parents are
  // created.
  explicit ResultDirectory(const std::string& target);
  // Where a run that has kept a checkpoint of itself has left its files: it was killed, or it was interrupted and the
  // directory has its name. Throws InputError if there is none.
  static std::string left_behind(const std::string& target);
  // That result, held against others, so that its run can go on: files that are opened keep what they hold. Nothing is
  // changed before has_gone_on(), and partial() is where it was left until then. Throws InputError if there is none, or
  // another run is writing it, or something else has its name.
  static std::unique_ptr<ResultDirectory> resume(const std::string& target);
  // Files that are opened from now on keep what they hold, until has_gone_on().
  void keep_files() { keeps_ = true; }
  // The same, with the files of another result, or of what another run has left, as they are.
  void take_copies(const std::string& folder);
  // The run stands where it was at its checkpoint: what it left is from now on a result that is being written.
  void has_gone_on();
  ResultDirectory(const ResultDirectory&) = delete;
  ~ResultDirectory();

  // A new file of the result. The directory must outlive it.
  ResultFile file(std::string_view name);
  // One of the tables of result/tables.h, with its header line. Throws logic_error if it is none.
  ResultFile table(std::string_view name);
  // A file, all at once. Replaces what it has written under this name.
  void write(std::string_view name, std::string_view text);
  // A file that is there already is one of the result.
  void adopt(std::string_view name);
  // Keeps a checkpoint of the run, in place of the one before, whole or not at all. From now on the directory remains
  // without commit().
  void keep_checkpoint(std::string_view content);
  // The run has ended: commit() removes the checkpoint, if there is one.
  void has_ended() { has_ended_ = true; }
  void remove(std::string_view name);
  // All of its files, but for the manifest: once each has been closed.
  result::Contents contents() const;

  // The target of another result that is to be a part of this one. It is committed before this one is.
  std::string within(std::string_view name) const;

  // Gives the directory its name. All files have been closed. Throws std::system_error.
  void commit();

  // The final name, as the user gave it.
  const std::string& name() const { return shown_; }
  // Where its files are until then.
  const std::string& partial() const { return partial_; }

 private:
  ResultDirectory() = default;

  std::string shown_;
  std::string target_;
  bool keeps_ = false;                        // files that are opened keep what they hold
  bool has_ended_ = false;                    // the run: nothing goes on from its checkpoint
  bool remains_ = false;                      // without commit(), for a run that goes on from its checkpoint
  std::string partial_;                       // empty once committed
  int lock_ = -1;                             // of partial_, open and locked
  std::vector<std::string> created_parents_;  // outermost first
  result::Contents contents_;
};

}  // namespace weir::probe
