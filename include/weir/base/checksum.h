// Checksums of result files and saved runs: XXH3 with 128 bits (xxHash), written as `xxh128sum` prints them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace weir {

// Computes the checksum of bytes that are given piece by piece.
class Checksum {
 public:
  Checksum();
  Checksum(Checksum&&) noexcept;
  Checksum& operator=(Checksum&&) = delete;
  ~Checksum();

  void update(std::string_view bytes);
  // Begins again, as if no bytes had been given.
  void restart();
  // The checksum of all bytes so far: 32 hexadecimal digits in lower case.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The checksum of a whole text, in the same form.
std::string checksum_of(std::string_view bytes);

}  // namespace weir
