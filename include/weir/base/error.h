// InputError, which all of Weir throws when the user's input is wrong: what is wrong, where, and what would be valid.
//
// Errors are thrown by `throw` alone. A function that composes the message of several errors returns the error
// (scenario::key_error in toml/document.h, TableReader::error_at, errno_error in base/system_error.h).
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

// The place of a value in an input. line 0 = no line, as for a command-line override or a whole file.
struct Where {
  std::string file;
  int line = 0;

  std::string text() const { return line > 0 ? file + ":" + std::to_string(line) : file; }
};

// The user's input cannot be used; the command `weir` then exits with status 2. The message is one line: the place or
// the key, as far as they are known, then what is wrong and what would be valid.
class InputError : public std::runtime_error {
 public:
  // An error about no single value, or one whose message names the place itself.
  explicit InputError(const std::string& what) : std::runtime_error(what), reason_(what) {}
  // An error about the value at a place. An empty file name means that the place is unknown.
  InputError(Where where, const std::string& reason)
      : std::runtime_error(where.file.empty() ? reason : where.text() + ": " + reason),
        where_(std::move(where)),
        reason_(reason) {}
  // An error about one value of the component that throws it. `key` is the component's own name of the value, with dots
  // where components are nested ("buffer.size"). An empty key means the component itself. A caller that knows where the
  // component's values stand in the input turns the key into a place (scenario::at_its_place).
  InputError(std::string key, const std::string& reason)
      : std::runtime_error(key.empty() ? reason : key + ": " + reason), key_(std::move(key)), reason_(reason) {}

  const std::optional<std::string>& key() const { return key_; }
  const Where& where() const { return where_; }
  // The text of what() without the place or the key.
  const std::string& reason() const { return reason_; }

  // An error about the value of a dotted key at a place, whose message names both. Here key() is the whole key in the
  // input, such as "algorithm.rate". An empty file name means that the place is unknown, and then key() is, too.
  InputError(Where where, std::string key, const std::string& reason) : InputError(std::move(where), reason) {
    if (!where_.file.empty()) key_ = std::move(key);
  }

  // This error as seen from a larger component, which holds the throwing one under `key`.
  InputError under(std::string_view key) const {
    if (!where_.file.empty()) return {std::string(key), what()};
    std::string whole(key);
    if (key_ && !key_->empty()) whole += (whole.empty() ? "" : ".") + *key_;
    return {std::move(whole), key_ ? reason_ : what()};
  }

 private:
  std::optional<std::string> key_;
  Where where_;
  std::string reason_;
};

// Calls work() and returns its result. An InputError that it throws becomes one about `key`, or about a value under it.
template <class Work>
auto under_key(std::string_view key, Work&& work) {
  try {
    return work();
  } catch (const InputError& error) {
    throw error.under(key);
  }
}

}  // namespace weir
