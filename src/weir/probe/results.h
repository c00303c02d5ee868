// The directory that a run leaves: whole, or visibly not.
//
//   ResultDirectory out("results/a");   // takes the name, or refuses, before anything is simulated
//   out.write("scenario.toml", text);
//   ... files are written next to the target, in results/a.partial-run ...
//   out.commit();                       // one rename
//
// Without commit() nothing remains. A process that is killed leaves only the partial directory, which the next run of
// this name clears.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace weir::probe {

// A file that is written from front to back through a buffer. Whoever cannot write (a full disk)
// throws std::system_error that names the file.
class ResultFile {
 public:
  // Replaces what is there. `shown` is the name for messages.
  ResultFile(const std::string& path, std::string shown);
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
  // Flushes and closes; the file is on its way to the disk without error so far.
  void close();

 private:
  static constexpr std::size_t kFlushAt = 1u << 16;

  int descriptor_ = -1;
  std::string shown_;
  fmt::memory_buffer buffer_;
};

class ResultDirectory {
 public:
  // Throws InputError if the target exists (an empty directory may; a link that leads nowhere may not), if another
  // ResultDirectory of this or another process has taken the name, or if it cannot be created. Missing parents are
  // created.
  explicit ResultDirectory(const std::string& target);
  ResultDirectory(const ResultDirectory&) = delete;
  ~ResultDirectory();

  // A new file of the result.
  ResultFile file(std::string_view name) const;
  // The same, all at once.
  void write(std::string_view name, std::string_view text) const;

  // The target of another result that is to be a part of this one. It is committed before this one is.
  std::string within(std::string_view name) const;

  // Gives the directory its name. All files have been closed. Throws std::system_error.
  void commit();

  // The final name, as the user gave it.
  const std::string& name() const { return shown_; }

 private:
  std::string shown_;
  std::string target_;
  std::string partial_;                       // empty once committed
  int lock_ = -1;                             // of partial_, open and locked
  std::vector<std::string> created_parents_;  // outermost first
};

}  // namespace weir::probe
