#include "weir/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "weir/output.h"

namespace weir::app {
namespace {

using Seconds = std::chrono::duration<double>;

}  // namespace

std::string duration_text(double seconds) {
  const auto s = static_cast<std::int64_t>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO) != 0), begin_(Clock::now()), last_(begin_) {}

StatusLine::~StatusLine() { clear(); }

void StatusLine::clear() const {
  if (shown_ && terminal_) std::fputs("\r\x1b[K", stderr);
}

bool StatusLine::due() const { return since_last() >= (terminal_ ? 0.2 : 10); }

double StatusLine::since_begin() const { return Seconds(Clock::now() - begin_).count(); }

double StatusLine::since_last() const { return Seconds(Clock::now() - last_).count(); }

void StatusLine::show(const std::string& line) {
  std::fputs(terminal_ ? fmt::format("\r\x1b[K{}", line).c_str() : fmt::format("{}\n", line).c_str(), stderr);
  std::fflush(stderr);
  last_ = Clock::now();
  shown_ = true;
}

std::string Forecast::text(double done, double elapsed) {
  if (done <= 0) return "";
  constexpr double kFar = 1.25;  // the time foreseen was wrong by so much
  if (done > done_) {
    done_ = done;
    const double end = elapsed / done;
    const bool is_later = end_ > 0 && end > end_;
    if (!is_later || end > kFar * end_ || elapsed >= end_) {
      is_late_ = is_late_ || is_later;
      end_ = end;
    }
  }
  if (elapsed >= end_) return "longer than foreseen";
  return fmt::format("about {} left{}", duration_text(end_ - elapsed), is_late_ ? ", longer than foreseen" : "");
}

ProgressLine::ProgressLine(const scenario::Expected& expected, Time stop) : expected_(expected), stop_(stop) {}

void ProgressLine::tell(const std::string& text) const {
  line_.clear();
  notice("weir: {}", text);
}

std::string ProgressLine::with_forecast(const std::string& line, double done, double elapsed, Forecast& forecast) {
  // How long it takes to deliver what has been lost cannot be told.
  if (done >= 1) return line + ", all sent, waiting for what is under way";
  if (done <= 0) return line;
  return fmt::format("{:3.0f} %  {}, {}", std::min(99.0, 100 * done), line, forecast.text(done, elapsed));
}

std::string ProgressLine::flows_text(const scenario::Expected& expected) {
  const double all = static_cast<double>(expected.flows) * expected.of_all;
  return fmt::format("{}{:.0f}", expected.all ? "" : expected.is_estimable() ? "about " : "over ", all);
}

void ProgressLine::show(const Progress& progress) {
  if (!line_.due()) return;
  const double since = line_.since_last();
  const auto& c = progress.counters;
  std::string line =
      fmt::format("{:.3f} ms simulated, {} of {} flows done, {} active, {:.1f} M packet-hops/s",
                  progress.now.seconds() * 1e3, c.flows_completed, flows_text(expected_),
                  c.flows_started - c.flows_completed, static_cast<double>(c.packet_hops - last_hops_) / since * 1e-6);
  line = with_forecast(line, run::share_done(progress, expected_, stop_), line_.since_begin(), forecast_);
  last_hops_ = c.packet_hops;
  line_.show(line);
}

}  // namespace weir::app
