// Algorithms that are written in Python, for trying an idea: each event of a flow is a call of Python.
//
// What a flow remembers are numbers, which lie in the flow's own memory as those of any algorithm. So its runs can be
// saved and copied, and may have several threads, which take turns. For a call a new object of the class gets these
// numbers and the parameters as attributes, and the numbers are taken from it afterwards.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "events.h"
#include "module.h"
#include "units.h"
#include "weir/base/error.h"
#include "weir/cc/algorithm.h"
#include "weir/cc/plugin.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace weir::python {
namespace {

using Number = std::variant<bool, std::int64_t, double>;

// A number that each flow remembers; its type is that of the first value.
struct Field {
  std::string name;
  Number first;
};

enum Hook : std::size_t { kStart, kAck, kLoss, kCnp, kSend, kTimer, kHooks };
constexpr std::array<const char*, kHooks> kHookNames{"start", "on_ack", "on_loss", "on_cnp", "on_send", "on_timer"};

// What a class says. A run keeps the one with which it was built.
struct Definition {
  nb::object type;
  nb::object create;  // type.__new__
  std::vector<Field> fields;
  std::array<bool, kHooks> has{};
  cc::ReceiverRules receiver;
};

// An entry of the catalogue, which stays for ever; the class behind it can be defined again.
struct Entry {
  std::string name;
  std::string title;
  std::string source;
  cc::Needs needs = cc::Needs::nothing;
  std::vector<Param> params;
  std::size_t room = 0;  // numbers that a flow can remember
  std::shared_ptr<const Definition> definition;
};

// Letting go of Python's objects needs its lock.
template <class T>
std::shared_ptr<T> held(T* object) {
  return {object, [](T* p) {
            if (!nb::is_alive()) return;
            const nb::gil_scoped_acquire acquire;
            delete p;
          }};
}

// The parameters of a profile.
struct Values {
  const Entry* entry = nullptr;
  std::shared_ptr<const Definition> definition;
  std::vector<ParamValue> values;
  mutable std::shared_ptr<nb::dict> attributes;  // made with Python's lock, by the first flow
};

class Params : public ParamSet {
 public:
  explicit Params(const Entry& entry) {
    params_ = entry.params;
    make_ = [&entry] {
      auto out = std::make_shared<Values>();
      out->entry = &entry;
      out->definition = entry.definition;
      for (const Param& p : entry.params) out->values.push_back(p.fallback);
      return out;
    };
    check();
  }
};

nb::object object_of(const ParamValue& value) {
  return std::visit(
      [](const auto& v) -> nb::object {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, Time>)
          return nb::cast(v.ps);
        else if constexpr (std::is_same_v<T, Bytes>)
          return nb::cast(v.count);
        else if constexpr (std::is_same_v<T, Rate>)
          return nb::cast(v.bits_per_second);
        else
          return nb::cast(v);
      },
      value);
}

// The parameters as attributes.
const nb::dict& attributes_of(const Values& values) {
  if (!values.attributes) {
    auto out = held(new nb::dict());
    for (std::size_t i = 0; i < values.values.size(); ++i)
      (*out)[values.entry->params[i].name.c_str()] = object_of(values.values[i]);
    values.attributes = std::move(out);
  }
  return *values.attributes;
}

void store(std::byte* at, const Number& number) {
  std::visit(
      [at](auto v) {
        std::conditional_t<std::is_same_v<decltype(v), double>, double, std::int64_t> wide = v;
        std::memcpy(at, &wide, sizeof wide);
      },
      number);
}

Number fetch(const std::byte* at, const Number& like) {
  if (std::holds_alternative<double>(like)) {
    double out = 0;
    std::memcpy(&out, at, sizeof out);
    return out;
  }
  std::int64_t out = 0;
  std::memcpy(&out, at, sizeof out);
  if (std::holds_alternative<bool>(like)) return out != 0;
  return out;
}

Number number_of(nb::handle value, const Field& field) {
  const auto wrong = [&](const char* valid) -> Number {
    throw nb::type_error(("what a flow remembers as '" + field.name + "' is " + valid +
                          ", as its first value: " + nb::cast<std::string>(nb::repr(value)))
                             .c_str());
  };
  if (double out = 0; std::holds_alternative<double>(field.first))
    return nb::try_cast(value, out) ? Number(out) : wrong("a float");
  if (bool out = false; std::holds_alternative<bool>(field.first))
    return nb::try_cast(value, out) ? Number(out) : wrong("a bool");
  std::int64_t out = 0;
  return nb::try_cast(value, out) ? Number(out) : wrong("an int of 64 bits");
}

template <class... Event>
void call(Hook hook, void* state, const void* params, const cc::FlowFacts& facts, cc::Control& control,
          const Event&... event) {
  const auto& values = *static_cast<const Values*>(params);
  const Definition& d = *values.definition;
  if (!d.has[hook]) return;
  auto* const memory = static_cast<std::byte*>(state);
  const nb::gil_scoped_acquire acquire;
  const nb::dict attributes = nb::steal<nb::dict>(PyDict_Copy(attributes_of(values).ptr()));
  for (std::size_t i = 0; i < d.fields.size(); ++i)
    attributes[d.fields[i].name.c_str()] = nb::cast(fetch(memory + 8 * i, d.fields[i].first));
  attributes["flow"] = nb::cast(facts);
  const nb::object object = d.create(d.type);
  object.attr("__dict__") = attributes;
  const nb::object answer = nb::cast(Answer{control});
  object.attr(kHookNames[hook])(nb::cast(event)..., answer);
  for (std::size_t i = 0; i < d.fields.size(); ++i)
    store(memory + 8 * i, number_of(attributes[d.fields[i].name.c_str()], d.fields[i]));
  control = nb::inst_ptr<Answer>(answer)->control;
}

std::deque<Entry>& entries() {
  static auto* const all = new std::deque<Entry>();
  return *all;
}

AckSeen seen(const cc::Ack& ack) {
  AckSeen out{ack, {}};
  if (ack.telemetry != nullptr) out.hops.assign(ack.telemetry->hop.begin(), ack.telemetry->hop.begin() + ack.hops);
  out.ack.telemetry = nullptr;
  return out;
}

void start(void* state, const void* params, const cc::FlowFacts& facts, cc::Control& control) {
  const auto& values = *static_cast<const Values*>(params);
  const auto& fields = values.definition->fields;
  for (std::size_t i = 0; i < fields.size(); ++i) store(static_cast<std::byte*>(state) + 8 * i, fields[i].first);
  call(kStart, state, params, facts, control);
}

cc::Algorithm algorithm_of(const Entry& entry) {
  cc::Algorithm a;
  a.about = {.name = entry.name, .title = entry.title, .source = entry.source, .needs = entry.needs};
  a.params = new Params(entry);
  a.state_size = 8 * entry.room;
  a.receiver = [](const void* p) { return static_cast<const Values*>(p)->definition->receiver; };
  a.load = [](std::shared_ptr<const void> p, const cc::DataFiles&) { return p; };
  a.start = start;
  a.on_ack = [](void* s, const void* p, const cc::FlowFacts& f, const cc::Ack& e, cc::Control& c) {
    if (static_cast<const Values*>(p)->definition->has[kAck]) call(kAck, s, p, f, c, seen(e));
  };
  a.on_loss = [](void* s, const void* p, const cc::FlowFacts& f, const cc::Loss& e, cc::Control& c) {
    call(kLoss, s, p, f, c, e);
  };
  a.on_cnp = [](void* s, const void* p, const cc::FlowFacts& f, Time now, cc::Control& c) {
    call(kCnp, s, p, f, c, now.ps);
  };
  a.on_send = [](void* s, const void* p, const cc::FlowFacts& f, const cc::Send& e, cc::Control& c) {
    call(kSend, s, p, f, c, e);
  };
  a.on_timer = [](void* s, const void* p, const cc::FlowFacts& f, Time now, cc::Control& c) {
    call(kTimer, s, p, f, c, now.ps);
  };
  return a;
}

// name, kind, default, least, most, meaning, source, as weir.Parameter has them. A time, a size or a rate is a text
// with its unit; bounds are then those of the kind.
using ParamRow = std::tuple<std::string, std::string, std::variant<bool, std::int64_t, double, std::string>, double,
                            double, std::string, std::string>;

Param param_of(const ParamRow& row, std::size_t place) {
  const auto& [name, kind, fallback, least, most, meaning, source] = row;
  Param p;
  p.name = name;
  p.meaning = meaning;
  p.source = source;
  p.min = least;
  p.max = most;
  const auto text = [&] { return std::get<std::string>(fallback); };
  if (kind == "number")
    p.fallback = std::get<double>(fallback);
  else if (kind == "integer")
    p.fallback = std::get<std::int64_t>(fallback);
  else if (kind == "boolean")
    p.fallback = std::get<bool>(fallback);
  else if (kind == "time")
    p.fallback = parse_time(text()), p.max = static_cast<double>(kMaxTime.ps);
  else if (kind == "bytes")
    p.fallback = parse_bytes(text()), p.max = static_cast<double>(kMaxBytes.count);
  else
    p.fallback = parse_rate(text()), p.max = static_cast<double>(kMaxRate.bits_per_second);
  static constexpr ParamAccess kAccess{
      [](const Param& param, const void* object) { return static_cast<const Values*>(object)->values[param.at]; },
      [](const Param& param, void* object, const ParamValue& v) {
        static_cast<Values*>(object)->values[param.at] = v;
      }};
  p.access = &kAccess;
  p.at = place;
  return p;
}

bool are_alike(const std::vector<Param>& a, const std::vector<Param>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Param& x, const Param& y) {
    return x.name == y.name && x.fallback == y.fallback && x.min == y.min && x.max == y.max;
  });
}

void add(nb::object type, const std::string& name, const std::string& title, const std::string& source,
         const std::vector<std::string>& needs, const std::vector<ParamRow>& params,
         const std::vector<std::pair<std::string, Number>>& fields, bool cnp, nb::handle cnp_interval) {
  // Objects of Python may share what they like.
  Entry entry{.name = name, .title = title, .source = source, .needs = cc::Needs::order};
  for (const std::string& need : needs) {
    if (need == "ecn")
      entry.needs = entry.needs | cc::Needs::ecn;
    else if (need == "telemetry")
      entry.needs = entry.needs | cc::Needs::telemetry;
    else if (need == "delivery_rate")
      entry.needs = entry.needs | cc::Needs::delivery_rate;
    else
      throw InputError("needs", "'" + need + "' is unknown; valid is ecn, telemetry, delivery_rate");
  }
  for (const ParamRow& row : params) {
    entry.params.push_back(param_of(row, entry.params.size()));
    check_value(entry.params.back(), entry.params.back().fallback);
  }
  Definition d{.type = type, .create = type.attr("__new__"), .fields = {}};
  for (const auto& [field, first] : fields) d.fields.push_back({field, first});
  for (std::size_t hook = 0; hook < kHooks; ++hook) d.has[hook] = nb::hasattr(type, kHookNames[hook]);
  d.receiver = {.cnp = cnp, .cnp_interval = time_of(cnp_interval, "cnp_interval")};
  entry.definition = held(new Definition(std::move(d)));
  entry.room = std::max<std::size_t>(16, fields.size());

  const auto known = std::find_if(entries().begin(), entries().end(), [&](const Entry& e) { return e.name == name; });
  if (known == entries().end()) {
    entries().push_back(std::move(entry));
    try {
      cc::add_algorithm(algorithm_of(entries().back()));
    } catch (...) {
      entries().pop_back();
      throw;
    }
    nb::set_leak_warnings(false);  // the catalogue keeps the class until the process ends
    return;
  }
  if (known->needs != entry.needs || !are_alike(known->params, entry.params) || fields.size() > known->room)
    throw InputError("name", "'" + name +
                                 "' is in the catalogue with other parameters, other needs or less to remember; "
                                 "choose another name, or start Python anew");
  known->definition = entry.definition;
}

}  // namespace

void add_algorithms(nb::module_& m) {
  add_events(m);
  m.def(
      "load_plugin", [](const std::string& file) { return cc::load_plugin(file).algorithms; }, "file"_a,
      "Loads algorithms from a shared library that was built against this Weir, and returns their names. Scenarios can "
      "name them from then on. Raises InputError if the file is no such plug-in, or has a name that there is already.");
  m.def(
      "add_algorithm", &add, "type"_a, "name"_a, "title"_a, "source"_a, "needs"_a, "params"_a, "fields"_a, "cnp"_a,
      "cnp_interval"_a,
      nb::sig("def add_algorithm(type: type, name: str, title: str, source: str, needs: collections.abc.Sequence[str], "
              "params: collections.abc.Sequence[tuple[str, str, bool | int | float | str, float, float, str, str]], "
              "fields: collections.abc.Sequence[tuple[str, bool | int | float]], cnp: bool, "
              "cnp_interval: int | str) -> None"));
}

}  // namespace weir::python
