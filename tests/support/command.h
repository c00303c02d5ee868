// The weir command as a user meets it: arguments in, text and exit status out.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace weir::app {

struct Output {
  std::string out;
  std::string err;
  int status = -1;  // 128 + n if signal n ended it
};

// The path of the command under test.
std::string command();

// Runs `weir ARGUMENTS`. If `signal` is not 0, sends it as soon as the command has used
// `after_cpu_s` of processor time.
Output weir(const std::vector<std::string>& arguments, int signal = 0, double after_cpu_s = 0.2);

// The same, as soon as `moment` says so; it is asked over and over.
Output weir(const std::vector<std::string>& arguments, int signal, const std::function<bool()>& moment);

// Runs a script of sh, to which "$weir" is the command.
Output shell(const std::string& script);

// A folder that is gone when this is.
class Folder {
 public:
  explicit Folder(const std::string& name);
  ~Folder();
  Folder(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  // What is in it, in alphabetical order.
  std::vector<std::string> names() const;

 private:
  std::string path_;
};

std::string read_file(const std::string& path);

}  // namespace weir::app
