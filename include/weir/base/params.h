// Parameters that describe themselves.
//
// A component declares each of its parameters once (name, default, bounds, meaning, source);
// from that one list come parsing, validation, `weir list`, the effective configuration in
// every result and the reference page.
//
//   struct Params {
//     double eta = 0.95;
//     Time T;
//     static void describe(ParamList<Params>& p) {
//       p.number("eta", &Params::eta, 0.5, 1.0, "target utilisation", "HPCC 3.3");
//       p.time("T", &Params::T, "base RTT of all flows; 0 = from the network", "HPCC 5.1");
//     }
//   };
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/units.h"

namespace weir {

// A value in the type of its parameter. Choices and free text are strings.
using ParamValue = std::variant<bool, std::int64_t, double, Time, Bytes, Rate, std::string>;

struct Param {
  std::string name;
  ParamValue fallback;  // the default; its alternative is the parameter's type
  double min = 0;       // inclusive bounds in the type's base unit (ps, bytes, bit/s); numbers only
  double max = 0;
  std::vector<std::string> choices;  // valid texts; empty = any text
  std::string meaning;
  std::string source;
  bool required = false;                                // must be written; the default stands for "not given"
  bool (*names_file)(std::string_view text) = nullptr;  // texts only: does this one name a data file?
  std::function<void(void*, const ParamValue&)> set;
  std::function<ParamValue(const void*)> get;

  // "number", "integer", "boolean", "time", "bytes", "rate", "choice" or "text".
  std::string_view type_name() const;
  // The valid range or choices, for messages and reference pages.
  std::string valid() const;
};

// Text to value and back. Times, bytes and rates need a unit ("1.5 us", "32 MiB", "100 Gbps");
// a plain 0 needs none. Throws InputError about the parameter that says what would be valid.
ParamValue parse_value(const Param& param, std::string_view text);
// Range and choice check of a value that already has the right type. Throws InputError about the parameter.
void check_value(const Param& param, const ParamValue& value);
// The shortest text that parses back to exactly this value.
std::string format_value(const ParamValue& value);

Time parse_time(std::string_view text);
Bytes parse_bytes(std::string_view text);
Rate parse_rate(std::string_view text);

// Throws InputError if this cannot be the name of another entry of a catalogue: it is to have letters, digits, '-' and
// '_' alone, and not to be taken. `what` is "an algorithm", say.
void check_new_name(std::string_view what, std::string_view name, bool is_taken);

// The candidate closest to `word` by edit distance, whatever the case, or "" if none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// The list of parameters of one component, and its storage, without its type.
class ParamSet {
 public:
  std::span<const Param> params() const { return params_; }
  const Param* find(std::string_view name) const;
  std::vector<std::string> names() const;
  // A new object with all defaults.
  std::shared_ptr<void> make() const { return make_(); }

 protected:
  // Throws logic_error if a name comes twice or a default is not valid itself.
  void check() const;

  std::vector<Param> params_;
  std::function<std::shared_ptr<void>()> make_;
};

// What a parameter may be at most unless its description says otherwise (and Rate: kMaxRate): sums and
// products of such values fit 64 bits.
inline constexpr Time kMaxTime{1'000'000 * kPicosecondsPerSecond};
inline constexpr Bytes kMaxBytes{1'000'000'000'000'000};

template <class T>
class ParamList : public ParamSet {
 public:
  using Text = std::string;

  ParamList() {
    make_ = [] { return std::make_shared<T>(); };
    T::describe(*this);
    check();
  }

  // The field is a double, or of a type that is made from one and gives it back.
  template <class F>
  Param& number(Text name, F T::*field, double min, double max, Text meaning, Text source = "") {
    return add_as<double>(std::move(name), field, min, max, std::move(meaning), std::move(source));
  }
  template <class I>
  Param& integer(Text name, I T::*field, double min, double max, Text meaning, Text source = "") {
    // No value that passes the bounds may change when it is stored in the field.
    min = std::max(min, static_cast<double>(std::numeric_limits<I>::min()));
    max = std::min(max, static_cast<double>(std::numeric_limits<I>::max()));
    return add_as<std::int64_t>(std::move(name), field, min, max, std::move(meaning), std::move(source));
  }
  Param& flag(Text name, bool T::*field, Text meaning, Text source = "") {
    return add(std::move(name), field, 0, 1, std::move(meaning), std::move(source));
  }
  Param& time(Text name, Time T::*field, Text meaning, Text source = "", Time min = {}, Time max = kMaxTime) {
    return add(std::move(name), field, static_cast<double>(min.ps), static_cast<double>(max.ps), std::move(meaning),
               std::move(source));
  }
  Param& bytes(Text name, Bytes T::*field, Text meaning, Text source = "", Bytes min = {}, Bytes max = kMaxBytes) {
    return add(std::move(name), field, static_cast<double>(min.count), static_cast<double>(max.count),
               std::move(meaning), std::move(source));
  }
  Param& rate(Text name, Rate T::*field, Text meaning, Text source = "", Rate min = {}, Rate max = kMaxRate) {
    return add(std::move(name), field, static_cast<double>(min.bits_per_second),
               static_cast<double>(max.bits_per_second), std::move(meaning), std::move(source));
  }
  Param& text(Text name, std::string T::*field, Text meaning, Text source = "") {
    return add(std::move(name), field, 0, 0, std::move(meaning), std::move(source));
  }
  // An enum whose values 0, 1, 2... are written as the given words.
  template <class E>
  Param& choice(Text name, E T::*field, std::vector<std::string> words, Text meaning, Text source = "") {
    const T defaults{};
    Param& p = params_.emplace_back();
    p.name = std::move(name);
    p.fallback = words.at(static_cast<std::size_t>(defaults.*field));
    p.choices = words;
    p.meaning = std::move(meaning);
    p.source = std::move(source);
    p.set = [field, words](void* object, const ParamValue& v) {
      const auto& word = std::get<std::string>(v);
      for (std::size_t i = 0; i < words.size(); ++i)
        if (words[i] == word) static_cast<T*>(object)->*field = static_cast<E>(i);
    };
    p.get = [field, words](const void* object) -> ParamValue {
      return words.at(static_cast<std::size_t>(static_cast<const T*>(object)->*field));
    };
    return p;
  }

  // A pointer to an entry of a list that never changes; entries are written by their names.
  template <class Entry>
  Param& entry(Text name, const Entry* T::*field, std::span<const Entry> list, Text meaning, Text source = "") {
    const T defaults{};
    Param& p = params_.emplace_back();
    p.name = std::move(name);
    p.fallback = std::string((defaults.*field)->name);
    for (const Entry& e : list) p.choices.emplace_back(e.name);
    p.meaning = std::move(meaning);
    p.source = std::move(source);
    p.set = [field, list](void* object, const ParamValue& v) {
      for (const Entry& e : list)
        if (e.name == std::get<std::string>(v)) static_cast<T*>(object)->*field = &e;
    };
    p.get = [field](const void* object) -> ParamValue {
      return std::string((static_cast<const T*>(object)->*field)->name);
    };
    return p;
  }

  // The parameters of a part that T embeds, `prefix` before their names. Defaults are those that T gives the part.
  template <class Part>
  void part(const Text& prefix, Part T::*member) {
    const T defaults{};
    const ParamList<Part> list;
    for (Param p : list.params()) {
      p.name = prefix + p.name;
      p.fallback = p.get(&(defaults.*member));
      p.set = [member, set = std::move(p.set)](void* object, const ParamValue& v) {
        set(&(static_cast<T*>(object)->*member), v);
      };
      p.get = [member, get = std::move(p.get)](const void* object) {
        return get(&(static_cast<const T*>(object)->*member));
      };
      params_.push_back(std::move(p));
    }
  }

 private:
  template <class F>
  Param& add(Text name, F T::*field, double min, double max, Text meaning, Text source) {
    return add_as<F>(std::move(name), field, min, max, std::move(meaning), std::move(source));
  }
  template <class V, class F>
  Param& add_as(Text name, F T::*field, double min, double max, Text meaning, Text source) {
    const T defaults{};
    Param& p = params_.emplace_back();
    p.name = std::move(name);
    p.fallback = static_cast<V>(defaults.*field);
    p.min = min;
    p.max = max;
    p.meaning = std::move(meaning);
    p.source = std::move(source);
    p.set = [field](void* object, const ParamValue& v) {
      static_cast<T*>(object)->*field = static_cast<F>(std::get<V>(v));
    };
    p.get = [field](const void* object) -> ParamValue { return static_cast<V>(static_cast<const T*>(object)->*field); };
    return p;
  }
};

// The one list of T's parameters.
template <class T>
const ParamSet& params_of() {
  static const ParamList<T> list;
  return list;
}

}  // namespace weir
