// Parameters of algorithms, traffic sources, probes and all other components that a scenario configures.
//
// A component declares each of its parameters once, with its name, default, bounds, meaning and
// source. From this one list come parsing, validation, `weir list`, the effective scenario in
// every result and the reference page. For example:
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
#include <cstddef>
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

// The value of a parameter, in the parameter's type. Choices and free text are strings.
using ParamValue = std::variant<bool, std::int64_t, double, Time, Bytes, Rate, std::string>;

// A condition under which a parameter has an effect: another parameter has one of these values, or a fact holds (then
// `values` is empty).
struct Need {
  // The name of the other parameter, of the same component or, with dots, of the scenario; names that begin with
  // "algorithm." are parameters of any profile. Or the name of a fact, which scenario/unused.cc lists.
  std::string key;
  std::vector<std::string> values;  // as format_value() writes them
  bool other = false;               // the condition is that the parameter has none of these values
  std::vector<Need> or_else = {};   // alternatives: one of these suffices as well

  bool is_of_component() const { return !values.empty() && key.find('.') == std::string::npos; }
  // Whether the condition is met if the other parameter has this value, written as format_value() does.
  bool is_met_by(std::string_view value) const {
    return (std::find(values.begin(), values.end(), value) != values.end()) != other;
  }
};

struct Param;

// How the value of a parameter is read from the struct of its component, and written there.
struct ParamAccess {
  ParamValue (*get)(const Param&, const void* object);
  void (*set)(const Param&, void* object, const ParamValue& value);
};

struct Param {
  std::string name;
  ParamValue fallback;  // the default; the alternative of the variant is the parameter's type
  double min = 0;       // inclusive bounds in the type's base unit (ps, bytes, bit/s); numbers only
  double max = 0;
  std::vector<std::string> choices;  // valid texts; empty = any text
  std::string meaning;
  std::string source;
  std::string valid_text = {};                          // numbers only: valid values in words; "" = `min` to `max`
  bool required = false;                                // the user must give it; the default is never used
  bool (*names_file)(std::string_view text) = nullptr;  // text only: whether this text names a data file
  std::vector<Need> needs = {};                         // it has an effect only where all of them are met
  const ParamAccess* access = nullptr;
  std::size_t at = 0;             // where `access` finds the value: the offset of a field in bytes
  const void* entries = nullptr;  // ParamList::entry(): its list, in the order of `choices`

  // Read and write the value in an object of the component's struct; `value` must be of the parameter's type and valid.
  ParamValue get(const void* object) const { return access->get(*this, object); }
  void set(void* object, const ParamValue& value) const { access->set(*this, object, value); }

  // "number", "integer", "boolean", "time", "bytes", "rate", "choice" or "text".
  std::string_view type_name() const;
  // The valid range or choices, for messages and reference pages.
  std::string valid() const;
  // Which of the choices this text is, counted from 0.
  std::size_t place_of(const ParamValue& choice) const;

  // only_with(): the parameter has an effect only if `key` has one of these values or, without values, if the fact
  // `key` holds. not_with(): only if `key` has none of these values (Need).
  Param& only_with(std::string key, std::vector<std::string> values = {}) {
    needs.push_back({std::move(key), std::move(values)});
    return *this;
  }
  Param& not_with(std::string key, std::vector<std::string> values) {
    needs.push_back({std::move(key), std::move(values), true});
    return *this;
  }
  // Called after one of the two above, these add an alternative, with which the parameter has an effect as well.
  Param& or_with(std::string key, std::vector<std::string> values) {
    needs.back().or_else.push_back({std::move(key), std::move(values)});
    return *this;
  }
  Param& or_not_with(std::string key, std::vector<std::string> values) {
    needs.back().or_else.push_back({std::move(key), std::move(values), true});
    return *this;
  }
};

// Parses and checks the text of a value. Times, bytes and rates need a unit ("1.5 us", "32 MiB",
// "100 Gbps"); a plain 0 needs none. Throws InputError about the parameter, which says what would be valid.
ParamValue parse_value(const Param& param, std::string_view text);
// Checks the range or the choice of a value that has the right type already. Throws InputError about the parameter.
void check_value(const Param& param, const ParamValue& value);
// The shortest text that parses back to exactly this value.
std::string format_value(const ParamValue& value);

// Parse a text of one type in the same notation, without the bounds of a parameter. Throw InputError.
Time parse_time(std::string_view text);
Bytes parse_bytes(std::string_view text);
Rate parse_rate(std::string_view text);

// Throws InputError unless `name` can be the name of a new entry of a catalogue: lower-case letters, digits, '-' and
// '_' alone, and not taken. `what` is the kind of entry for the message, such as "an algorithm".
void check_new_name(std::string_view what, std::string_view name, bool is_taken);

// The candidate closest to `word` by edit distance regardless of case, or else one that begins with `word` and "_". It
// is "" if there is neither.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// The list of parameters of one component, without the type of the struct that stores their values.
class ParamSet {
 public:
  std::span<const Param> params() const { return params_; }
  const Param* find(std::string_view name) const;
  std::vector<std::string> names() const;
  // Whether a parameter has an effect, given the other values of the object. Needs of other components' parameters, and
  // of facts, count as met.
  bool has_effect(const Param& param, const void* object) const;
  // Whether the object meets a need of a parameter of this set.
  bool meets(const Need& need, const void* object) const;
  // Resets parameters that have no effect to their defaults, in the order of the list.
  void reset_unmet(void* object) const;
  // Makes a new object that holds all defaults.
  std::shared_ptr<void> make() const { return make_(); }

 protected:
  using Text = std::string_view;

  // Adds a parameter without bounds; a list of choices is empty if any text is valid.
  Param& add(Text name, ParamValue fallback, Text meaning, Text source, const ParamAccess& access, std::size_t at);
  // Adds the parameters of a part that lies at offset `at` of the whole; `defaults` is a part that holds its defaults.
  void add_part(Text prefix, const ParamSet& part, const void* defaults, std::size_t at);
  // Throws std::logic_error if two parameters have the same name or a default is not valid.
  void check() const;

  std::vector<Param> params_;
  std::function<std::shared_ptr<void>()> make_;
};

// The largest time and size that a parameter may have unless its description says otherwise (for a rate it is
// kMaxRate): 10^6 seconds and 1 PB. A sum of several such values fits 64 bits.
inline constexpr Time kMaxTime{1'000'000 * kPicosecondsPerSecond};
inline constexpr Bytes kMaxBytes{1'000'000'000'000'000};

// A field of type F that holds values of type V.
template <class V, class F>
inline constexpr ParamAccess kFieldAccess{
    [](const Param& p, const void* object) -> ParamValue {
      return static_cast<V>(*reinterpret_cast<const F*>(static_cast<const std::byte*>(object) + p.at));
    },
    [](const Param& p, void* object, const ParamValue& value) {
      *reinterpret_cast<F*>(static_cast<std::byte*>(object) + p.at) = static_cast<F>(std::get<V>(value));
    }};

// A field that is an enum, whose values are written as the parameter's choices.
template <class E>
inline constexpr ParamAccess kChoiceAccess{
    [](const Param& p, const void* object) -> ParamValue {
      const E value = *reinterpret_cast<const E*>(static_cast<const std::byte*>(object) + p.at);
      return p.choices.at(static_cast<std::size_t>(value));
    },
    [](const Param& p, void* object, const ParamValue& value) {
      *reinterpret_cast<E*>(static_cast<std::byte*>(object) + p.at) = static_cast<E>(p.place_of(value));
    }};

// A field that points to one of the parameter's `entries`.
template <class Entry>
inline constexpr ParamAccess kEntryAccess{
    [](const Param& p, const void* object) -> ParamValue {
      return std::string((*reinterpret_cast<const Entry* const*>(static_cast<const std::byte*>(object) + p.at))->name);
    },
    [](const Param& p, void* object, const ParamValue& value) {
      *reinterpret_cast<const Entry**>(static_cast<std::byte*>(object) + p.at) =
          static_cast<const Entry*>(p.entries) + p.place_of(value);
    }};

// The parameters of a component whose struct of values is T. T::describe() calls one function of this class for each.
// Code that is the same for all T is in ParamSet and in the accesses above, since each source that includes a
// description compiles this class.
template <class T>
class ParamList : public ParamSet {
 public:
  using Text = ParamSet::Text;

  ParamList() {
    make_ = [] { return std::make_shared<T>(); };
    T::describe(*this);
    check();
  }

  // The field is a double, or of a type that converts from a double and back.
  template <class F>
  Param& number(Text name, F T::*field, double min, double max, Text meaning, Text source = "") {
    return add_as<double>(name, field, min, max, meaning, source);
  }
  template <class I>
  Param& integer(Text name, I T::*field, double min, double max, Text meaning, Text source = "") {
    // A value that passes the bounds must not change when it is stored in the field.
    min = std::max(min, static_cast<double>(std::numeric_limits<I>::min()));
    max = std::min(max, static_cast<double>(std::numeric_limits<I>::max()));
    return add_as<std::int64_t>(name, field, min, max, meaning, source);
  }
  Param& flag(Text name, bool T::*field, Text meaning, Text source = "") {
    return add_as<bool>(name, field, 0, 1, meaning, source);
  }
  Param& time(Text name, Time T::*field, Text meaning, Text source = "", Time min = {}, Time max = kMaxTime) {
    return add_as<Time>(name, field, static_cast<double>(min.ps), static_cast<double>(max.ps), meaning, source);
  }
  Param& bytes(Text name, Bytes T::*field, Text meaning, Text source = "", Bytes min = {}, Bytes max = kMaxBytes) {
    return add_as<Bytes>(name, field, static_cast<double>(min.count), static_cast<double>(max.count), meaning, source);
  }
  Param& rate(Text name, Rate T::*field, Text meaning, Text source = "", Rate min = {}, Rate max = kMaxRate) {
    return add_as<Rate>(name, field, static_cast<double>(min.bits_per_second), static_cast<double>(max.bits_per_second),
                        meaning, source);
  }
  Param& text(Text name, std::string T::*field, Text meaning, Text source = "") {
    return add_as<std::string>(name, field, 0, 0, meaning, source);
  }
  // The field is an enum, whose values 0, 1, 2, ... are written as `words`, in this order.
  template <class E>
  Param& choice(Text name, E T::*field, std::vector<std::string> words, Text meaning, Text source = "") {
    Param& p = add(name, words.at(static_cast<std::size_t>(defaults().*field)), meaning, source, kChoiceAccess<E>,
                   offset_of(field));
    p.choices = std::move(words);
    return p;
  }

  // The field points to an entry of `list`, which must never change. An entry is written by its name.
  template <class Entry>
  Param& entry(Text name, const Entry* T::*field, std::span<const Entry> list, Text meaning, Text source = "") {
    Param& p =
        add(name, std::string((defaults().*field)->name), meaning, source, kEntryAccess<Entry>, offset_of(field));
    for (const Entry& e : list) p.choices.emplace_back(e.name);
    p.entries = list.data();
    return p;
  }

  // Adds the parameters of a part that T embeds, with `prefix` before their names and T's values as their defaults.
  template <class Part>
  void part(Text prefix, Part T::*member) {
    add_part(prefix, ParamList<Part>(), &(defaults().*member), offset_of(member));
  }

 private:
  static const T& defaults() {
    static const T values{};
    return values;
  }
  template <class F>
  static std::size_t offset_of(F T::*field) {
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&(defaults().*field)) -
                                    reinterpret_cast<const std::byte*>(&defaults()));
  }
  template <class V, class F>
  Param& add_as(Text name, F T::*field, double min, double max, Text meaning, Text source) {
    Param& p = add(name, static_cast<V>(defaults().*field), meaning, source, kFieldAccess<V, F>, offset_of(field));
    p.min = min;
    p.max = max;
    return p;
  }
};

// The list of T's parameters, which is made once and never destroyed before the program ends.
template <class T>
const ParamSet& params_of() {
  static const ParamList<T> list;
  return list;
}

}  // namespace weir
