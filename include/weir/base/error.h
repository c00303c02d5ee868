// What went wrong with an input, told so that the user can mend it.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

// Where in an input a value stands. line 0 = no line (a command-line override, a whole file).
struct Where {
  std::string file;
  int line = 0;

  std::string text() const { return line > 0 ? file + ":" + std::to_string(line) : file; }
};

// The user's input cannot be used: exit status 2. The message is one line and says what would be valid, behind the
// place or the key as far as they are known.
class InputError : public std::runtime_error {
 public:
  // About no single value, or the message names its place itself.
  explicit InputError(const std::string& what) : std::runtime_error(what), reason_(what) {}
  // About what stands at a place; a place without a file is unknown.
  InputError(Where where, const std::string& reason)
      : std::runtime_error(where.file.empty() ? reason : where.text() + ": " + reason),
        where_(std::move(where)),
        reason_(reason) {}
  // About one value of the component that complains: `key` names it as that component does, with dots if it lies
  // deeper ("size" of a buffer). An empty key is the component itself. Whoever knows where the component's values
  // stand says so (scenario::at_its_place).
  InputError(std::string key, const std::string& reason)
      : std::runtime_error(key.empty() ? reason : key + ": " + reason), key_(std::move(key)), reason_(reason) {}

  const std::optional<std::string>& key() const { return key_; }
  const Where& where() const { return where_; }
  // what() without the place or the key.
  const std::string& reason() const { return reason_; }

  // The same error as one of a larger component, which has the one that complains under `key`.
  InputError under(std::string_view key) const {
    std::string whole(key);
    if (key_ && !key_->empty()) whole += (whole.empty() ? "" : ".") + *key_;
    return {std::move(whole), key_ ? reason_ : what()};
  }

 private:
  std::optional<std::string> key_;
  Where where_;
  std::string reason_;
};

[[noreturn]] inline void fail(const Where& where, const std::string& what) { throw InputError(where, what); }

// Does a part of a component's work. Its errors become errors about `key`, or what lies under it.
template <class Work>
auto under_key(std::string_view key, Work&& work) {
  try {
    return work();
  } catch (const InputError& error) {
    throw error.under(key);
  }
}

}  // namespace weir
