#include "weir/sweep/allotment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "weir/base/error.h"
#include "weir/base/text_file.h"
#include "weir/study/kept_runs.h"
#include "weir/sweep/earlier_runs.h"
#include "weir/sweep/left_runs.h"

namespace weir::run {
namespace {

using Clock = std::chrono::steady_clock;

// How often a worker looks at the leases of others within a term, and the shortest and longest time between, in s.
constexpr double kLooks = 40;
constexpr double kShortest = 0.3;
constexpr double kLongest = 5;

}  // namespace

Allotment::Allotment(const study::Plan& plan, const SweepOptions& options)
    : plan_(plan), o_(options), was_anothers_(plan.runs.size()) {
  if (!o_.leases) return;
  leases_.emplace(o_.dir, o_.leases->lease_s);
  const std::string& since = o_.leases->since;
  const auto written = since.empty() ? leases_->now() : time_of_file(since);
  if (!written) throw InputError(fmt::format("--since: there is no file {}", since));
  since_ = *written;
}

Allotment::Answer Allotment::ask(std::size_t run) {
  if (!leases_) return Answer::mine;
  const auto others = [&] {
    was_anothers_[run] = true;
    return Answer::others;
  };
  const std::string result = study::result_of(o_.dir, name(run));
  if (leases_->is_held(name(run))) {
    if (!leases_->is_dead(name(run))) return others();
    was_anothers_[run] = true;
  } else if (study::is_result(result) && study::difference(plan_, run, result).empty()) {
    return Answer::done;
  }
  if (!leases_->take(name(run))) return others();
  Answer answer = Answer::mine;
  if (is_done(plan_, o_, run)) answer = Answer::done;
  if (answer == Answer::mine && has_failed(run)) answer = Answer::failed;
  if (answer == Answer::done) remove_left(result);
  if (answer != Answer::mine) leases_->give_back(name(run));
  return answer;
}

void Allotment::give_back(std::size_t run) {
  if (leases_) leases_->give_back(name(run));
}

bool Allotment::has_failed(std::size_t run) const {
  const auto written = time_of_file(study::failure_of(o_.dir, name(run)));
  return written && *written >= since_;
}

std::string Allotment::failure(std::size_t run) const {
  std::string text = read_text_file(study::failure_of(o_.dir, name(run)), "a message");
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::vector<std::size_t> Allotment::beat() {
  std::vector<std::size_t> out;
  if (!leases_) return out;
  for (const std::string& lost : leases_->beat())
    for (const std::size_t run : o_.runs)
      if (name(run) == lost) out.push_back(run);
  for (const std::size_t run : out) was_anothers_[run] = true;
  return out;
}

bool Allotment::is_mine(std::size_t run) const { return !leases_ || leases_->is_mine(name(run)); }

std::vector<std::size_t> Allotment::freed(const std::vector<std::size_t>& others) {
  std::vector<std::size_t> out;
  if (others.empty()) return out;
  const std::chrono::duration<double> pause(std::clamp(o_.leases->lease_s / kLooks, kShortest, kLongest));
  if (Clock::now() - looked_ < pause) return out;
  leases_->look();
  looked_ = Clock::now();
  std::copy_if(others.begin(), others.end(), std::back_inserter(out),
               [&](std::size_t run) { return !leases_->is_held(name(run)) || leases_->is_dead(name(run)); });
  return out;
}

bool Allotment::are_beating(const std::vector<std::size_t>& others) const {
  return std::all_of(others.begin(), others.end(), [&](std::size_t run) { return leases_->is_beating(name(run)); });
}

void Allotment::watch_anew() {
  if (leases_) leases_->watch_anew();
}

void Allotment::look() {
  if (leases_) leases_->look();
}

void Allotment::remove_leases(const std::vector<bool>& done) {
  if (!leases_) return;
  std::set<std::string> names;
  for (const std::size_t run : o_.runs)
    if (done[run]) names.insert(name(run));
  leases_->remove_of_done([&](const std::string& run) { return names.count(run) > 0; });
}

}  // namespace weir::run
