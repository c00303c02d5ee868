// Checksums of files: XXH3 with 128 bits (xxHash), written as `xxh128sum` prints them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace weir {

// Of bytes that come piece by piece.
class Checksum {
 public:
  Checksum();
  Checksum(Checksum&&) noexcept;
  Checksum& operator=(Checksum&&) = delete;
  ~Checksum();

  void update(std::string_view bytes);
  // Forgets all bytes so far.
  void restart();
  // Of all bytes so far: 32 hexadecimal digits in small letters.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The same of a whole text.
std::string checksum_of(std::string_view bytes);

}  // namespace weir
