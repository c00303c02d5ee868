// Archives: the state of a run as a string of bytes, for checkpoints and copies of runs. Probes are saved in it too.
//
// An object whose state changes during a run has a member `template <class A> void archive(A& a)`. It passes what
// changes, in a fixed order, to a.value(), a.values(), a.each(), a.optional() and a.text(). A Saver writes these
// members; a Loader reads them into an object that has been newly built from the same model. Numbers are stored as they
// lie in memory, so an archive can only be read by the build of Weir that wrote it, on the same kind of machine
// (Simulation::restore() and run/checkpoint.h refuse others).
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "weir/base/error.h"

namespace weir {

// Writes an archive.
class Saver {
 public:
  static constexpr bool kLoads = false;

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void value(const T& v) { bytes(&v, sizeof(T)); }
  void bytes(const void* from, std::size_t size) { out_.append(static_cast<const char*>(from), size); }
  // Writes the length of a container and returns it. `longest` matters to Loader alone.
  std::size_t length(std::size_t n, std::size_t /*longest*/ = ~std::size_t{0}) {
    value(static_cast<std::uint64_t>(n));
    return n;
  }
  // Writes a contiguous container of objects that may be copied as bytes: its length, then the objects.
  template <class Container>
  void values(const Container& c) {
    static_assert(std::is_trivially_copyable_v<typename Container::value_type>);
    length(c.size());
    bytes(c.data(), c.size() * sizeof(typename Container::value_type));
  }
  // Writes the length of a container, then calls one(object) for each object, which archives it, in a byte or more.
  template <class Container, class One>
  void each(Container& c, One&& one) {
    length(c.size());
    for (auto& object : c) one(object);
  }

  // Calls one(saver) and puts the length of what it writes in front of that, so that a reader can skip it.
  template <class One>
  void block(One&& one) {
    const std::size_t at = out_.size();
    length(0);
    one(*this);
    const std::uint64_t size = out_.size() - at - sizeof(size);
    std::memcpy(out_.data() + at, &size, sizeof(size));
  }

  void text(const std::string& t) { values(t); }
  template <class T, class One>
  void optional(std::optional<T>& o, One&& one) {
    value(o.has_value());
    if (o) one(*o);
  }

  const std::string& content() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Reads an archive. Throws InputError if the bytes end too early or a length is not possible.
class Loader {
 public:
  static constexpr bool kLoads = true;

  // `content` must outlive the Loader.
  explicit Loader(std::string_view content) : left_(content) {}

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void value(T& v) { bytes(&v, sizeof(T)); }
  void bytes(void* to, std::size_t size) {
    if (size > left_.size()) throw InputError("the checkpoint ends too early");
    if (size != 0) std::memcpy(to, left_.data(), size);
    left_.remove_prefix(size);
  }
  std::size_t length(std::size_t = 0, std::size_t longest = ~std::size_t{0}) {
    std::uint64_t n = 0;
    value(n);
    // every object takes a byte or more
    if (n > longest || n > left_.size()) throw InputError("the checkpoint has a length that is not possible");
    return n;
  }
  template <class Container>
  void values(Container& c) {
    static_assert(std::is_trivially_copyable_v<typename Container::value_type>);
    const std::size_t n = length();
    if (n > left_.size() / sizeof(typename Container::value_type)) throw InputError("the checkpoint ends too early");
    c.resize(n);
    bytes(c.data(), n * sizeof(typename Container::value_type));
  }
  template <class Container, class One>
  void each(Container& c, One&& one) {
    const std::size_t n = length();
    c.clear();
    c.resize(n);
    for (auto& object : c) one(object);
  }

  // Calls one() with a loader of the block's bytes alone, and goes on behind the block however much one() has read.
  template <class One>
  void block(One&& one) {
    std::uint64_t size = 0;
    value(size);
    if (size > left_.size()) throw InputError("the checkpoint ends too early");
    Loader part(left_.substr(0, size));
    left_.remove_prefix(size);
    one(part);
  }

  void text(std::string& t) { values(t); }
  template <class T, class One>
  void optional(std::optional<T>& o, One&& one) {
    bool is_there = false;
    value(is_there);
    o.reset();
    if (is_there) one(o.emplace());
  }

  std::string_view rest() const { return left_; }
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
};

}  // namespace weir
