// Internal helpers of describe() in algorithm.h, which check the functions of an algorithm at compile time.
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "weir/base/units.h"

namespace weir::cc {

struct Ack;
struct Control;
struct DataFile;
struct DelayTarget;
struct Echo;
struct FlowFacts;
struct Loss;
struct Preset;
struct ReceiverRules;
struct Send;

// Each of the structs up to DelayTargets stands for the name of one function. `Told`, where there is one, is the type
// of the argument that tells the function of the event.
namespace hooks {

struct OnAck {
  using Told = const Ack&;
  struct Name {
    int on_ack;
  };
  template <class B>
  static constexpr bool named_once = requires {
    &B::on_ack;
  };
  template <class A, class... X>
  static auto call(A& a, X&&... x) -> decltype(a.on_ack(std::forward<X>(x)...)) {
    return a.on_ack(std::forward<X>(x)...);
  }
};
struct OnLoss {
  using Told = const Loss&;
  struct Name {
    int on_loss;
  };
  template <class B>
  static constexpr bool named_once = requires {
    &B::on_loss;
  };
  template <class A, class... X>
  static auto call(A& a, X&&... x) -> decltype(a.on_loss(std::forward<X>(x)...)) {
    return a.on_loss(std::forward<X>(x)...);
  }
};
struct OnCnp {
  using Told = Time;
  struct Name {
    int on_cnp;
  };
  template <class B>
  static constexpr bool named_once = requires {
    &B::on_cnp;
  };
  template <class A, class... X>
  static auto call(A& a, X&&... x) -> decltype(a.on_cnp(std::forward<X>(x)...)) {
    return a.on_cnp(std::forward<X>(x)...);
  }
};
struct OnSend {
  using Told = const Send&;
  struct Name {
    int on_send;
  };
  template <class B>
  static constexpr bool named_once = requires {
    &B::on_send;
  };
  template <class A, class... X>
  static auto call(A& a, X&&... x) -> decltype(a.on_send(std::forward<X>(x)...)) {
    return a.on_send(std::forward<X>(x)...);
  }
};
struct OnTimer {
  using Told = Time;
  struct Name {
    int on_timer;
  };
  template <class B>
  static constexpr bool named_once = requires {
    &B::on_timer;
  };
  template <class A, class... X>
  static auto call(A& a, X&&... x) -> decltype(a.on_timer(std::forward<X>(x)...)) {
    return a.on_timer(std::forward<X>(x)...);
  }
};
struct OnEcho {
  using Told = const Echo&;
  struct Name {
    int on_echo;
  };
  template <class B>
  static constexpr bool named_once = requires {
    &B::on_echo;
  };
  template <class A, class... X>
  static auto call(A& a, X&&... x) -> decltype(a.on_echo(std::forward<X>(x)...)) {
    return a.on_echo(std::forward<X>(x)...);
  }
};
struct Receiver {
  struct Name {
    int receiver;
  };
  template <class B>
  static constexpr bool named_once = requires {
    &B::receiver;
  };
};
struct Load {
  struct Name {
    int load;
  };
  template <class B>
  static constexpr bool named_once = requires {
    &B::load;
  };
};
struct Presets {
  struct Name {
    int presets;
  };
  template <class B>
  static constexpr bool named_once = requires {
    &B::presets;
  };
};
struct DelayTargets {
  struct Name {
    int delay_target;
  };
  template <class B>
  static constexpr bool named_once = requires {
    &B::delay_target;
  };
};

// Whether A has a member of the hook's name, whatever its signature: the name is then ambiguous in Both, which has two.
template <class A, class Hook>
struct Both : A, Hook::Name {};
template <class A, class Hook>
concept Names = !Hook::template named_once<Both<A, Hook>>;

template <class A, class Hook, class LastArgument>
concept Takes = requires(A& a, const typename A::Params& p, const FlowFacts& f, typename Hook::Told x, LastArgument c) {
  { Hook::call(a, p, f, x, c) } -> std::same_as<void>;
};
// Whether that member has the signature that the transport calls. One that takes a const Control& could not answer.
template <class A, class Hook>
concept Fits = Takes<A, Hook, Control&> && !Takes<A, Hook, const Control&>;

// Whether A has no member of that name, or one with the right signature.
template <class A, class Hook>
concept Agrees = !Names<A, Hook> || Fits<A, Hook>;
template <class A>
concept ReceiverAgrees = !Names<A, Receiver> || requires(const typename A::Params& p) {
  { A::receiver(p) } -> std::convertible_to<ReceiverRules>;
};
template <class A>
concept LoadAgrees =
    !Names<A, Load> || requires(typename A::Params & p, const std::map<std::string, DataFile, std::less<>>& files) {
  { A::load(p, files) } -> std::same_as<void>;
};
template <class A>
concept PresetsAgree = !Names<A, Presets> || requires {
  { A::presets() } -> std::convertible_to<std::span<const Preset>>;
};
template <class A>
concept DelayTargetAgrees =
    !Names<A, DelayTargets> || requires(const typename A::Params& p, const FlowFacts& f, Time host_delay) {
  { A::delay_target(p, f, host_delay) } -> std::same_as<DelayTarget>;
};

// The member as a function that does not name the type A; null if A has no member of that name.
template <class Hook, class A>
constexpr auto erased() -> void (*)(void*, const void*, const FlowFacts&, typename Hook::Told, Control&) {
  if constexpr (Names<A, Hook>)
    return [](void* state, const void* p, const FlowFacts& f, typename Hook::Told x, Control& c) {
      Hook::call(*static_cast<A*>(state), *static_cast<const typename A::Params*>(p), f, x, c);
    };
  else
    return nullptr;
}

}  // namespace hooks

}  // namespace weir::cc
