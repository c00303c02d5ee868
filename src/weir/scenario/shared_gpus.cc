#include "weir/scenario/shared_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "weir/base/error.h"
#include "weir/traffic/calls.h"
#include "weir/traffic/collectives.h"
#include "weir/traffic/hosts.h"
#include "weir/traffic/training.h"

namespace weir::scenario {
namespace {

// Which of the links of a GPU a table uses: equal ones are shared.
using Links = std::tuple<traffic::Sharing, std::uint32_t, Rate>;

struct Job {
  std::size_t table = 0;
  std::vector<std::uint32_t> hosts;
  bool computes = false;
  std::set<Links> links;
  std::optional<Rate> serial;  // the rate of its serial links, if it has some
};

template <class T>
void add_links(Job& job, const T& t) {
  if (t.group == 1) return;
  const bool is_serial = t.scale_up_sharing == traffic::Sharing::serial;
  if (is_serial) job.serial = t.scale_up_rate;
  job.links.insert(is_serial ? Links{t.scale_up_sharing, 0, Rate{}}
                             : Links{t.scale_up_sharing, t.group, t.scale_up_rate});
}

void describe(Job& job, const traffic::Collective& c, const traffic::Context&) {
  job.computes = c.compute > Time{};
  add_links(job, c);
}

void describe(Job& job, const traffic::Calls& calls, const traffic::Context& context) {
  for (const traffic::NamedCall& call : traffic::read_calls(calls, context)) describe(job, call.what, context);
}

void describe(Job& job, const traffic::Training& t, const traffic::Context&) {
  job.computes = true;
  add_links(job, t);
}

template <class T>
void add(std::vector<Job>& to, const TrafficSource& source, Time stop, const traffic::Context& context) {
  if (source.kind->params != &params_of<T>()) return;
  const T& params = *static_cast<const T*>(source.params.get());
  if (stop > Time{} && params.start >= stop) return;  // it never begins
  Job job{.table = context.source};
  job.hosts = traffic::hosts_of_job(params.hosts, params.places, params.placement, params.group, context);
  describe(job, params, context);
  to.push_back(std::move(job));
}

std::vector<Job> jobs_of(const Scenario& s, std::uint32_t hosts) {
  traffic::Context context;
  context.host_rates.resize(hosts);
  context.seed = s.run.seed;
  context.folder = s.folder;
  std::vector<Job> out;
  for (std::size_t i = 0; i < s.traffic.size(); ++i) {
    const TrafficSource& source = s.traffic[i];
    if (source.params == nullptr) continue;
    context.source = static_cast<std::uint32_t>(i);
    try {
      add<traffic::Collective>(out, source, s.run.stop, context);
      add<traffic::Calls>(out, source, s.run.stop, context);
      add<traffic::Training>(out, source, s.run.stop, context);
    } catch (const InputError&) {  // refused elsewhere, with its place
    }
  }
  return out;
}

// Tables that have a GPU in common with one of the others, and the first such GPU.
struct Meeting {
  std::set<std::size_t> tables;
  std::uint32_t first = 0;
};

// Whoever meets somebody who meets somebody is of one meeting.
class Meetings {
 public:
  void add(const std::vector<const Job*>& of_host, std::uint32_t host) {
    Meeting all{.first = host};
    for (const Job* job : of_host) all.tables.insert(job->table);
    for (auto known = all_.begin(); known != all_.end();) {
      const bool meets = std::any_of(known->tables.begin(), known->tables.end(),
                                     [&](std::size_t table) { return all.tables.count(table) > 0; });
      if (!meets) {
        ++known;
        continue;
      }
      all.tables.merge(known->tables);
      all.first = std::min(all.first, known->first);
      known = all_.erase(known);
    }
    all_.push_back(std::move(all));
  }
  const std::vector<Meeting>& all() const { return all_; }

 private:
  std::vector<Meeting> all_;
};

// "traffic.0 ('a'), traffic.2 ('b') and traffic.3 ('c')"
std::string names(const Scenario& s, const std::set<std::size_t>& tables) {
  std::string out;
  std::size_t left = tables.size();
  for (const std::size_t table : tables) {
    out += fmt::format("traffic.{} ('{}')", table, s.traffic[table].tag);
    --left;
    if (left > 0) out += left == 1 ? " and " : ", ";
  }
  return out;
}

}  // namespace

void check_shared_gpus(const Scenario& s, const engine::Model& model) {
  if (s.traffic.size() < 2) return;
  const std::vector<Job> jobs = jobs_of(s, model.topology.hosts);
  std::vector<const Job*> first(model.topology.hosts);  // by host, of those with serial links
  for (const Job& job : jobs)
    for (const std::uint32_t host : job.hosts) {
      if (!job.serial) continue;
      if (first[host] == nullptr) first[host] = &job;
      if (*first[host]->serial == *job.serial) continue;
      const std::string key = fmt::format("traffic.{}.scale_up_rate", job.table);
      throw key_error(s, key,
                      fmt::format("{}, but {} uses the same serial links (the first: those of {}) at {}; write the "
                                  "same scale_up_rate in both, or give them different hosts",
                                  format_value(*job.serial), names(s, {first[host]->table}),
                                  net::name_of_host(model.topology, host), format_value(*first[host]->serial)));
    }
}

void warn_of_shared_gpus(const Scenario& s, const engine::Model& model, std::vector<std::string>& out) {
  if (s.traffic.size() < 2) return;
  const std::vector<Job> jobs = jobs_of(s, model.topology.hosts);
  std::vector<std::vector<const Job*>> of_host(model.topology.hosts);
  for (const Job& job : jobs)
    for (const std::uint32_t host : job.hosts) of_host[host].push_back(&job);
  Meetings compute;
  Meetings apart;
  for (std::uint32_t host = 0; host < of_host.size(); ++host) {
    std::vector<const Job*> computing;
    std::vector<const Job*> linked;
    std::set<Links> links;
    for (const Job* job : of_host[host]) {
      if (job->computes) computing.push_back(job);
      if (!job->links.empty()) linked.push_back(job);
      links.insert(job->links.begin(), job->links.end());
    }
    if (computing.size() > 1) compute.add(computing, host);
    if (linked.size() > 1 && links.size() > 1) apart.add(linked, host);
  }
  for (const Meeting& meeting : compute.all())
    out.push_back(
        fmt::format("{} compute on the same GPUs (the first: {}), each as if it had them for itself: where "
                    "they do so at once, each computes too quickly",
                    names(s, meeting.tables), net::name_of_host(model.topology, meeting.first)));
  for (const Meeting& meeting : apart.all())
    out.push_back(
        fmt::format("{} use scale-up links of the same GPUs (the first: {}) and do not notice each other "
                    "there; write the same scale_up_sharing in each, and with \"max-min\" the same group and "
                    "scale_up_rate",
                    names(s, meeting.tables), net::name_of_host(model.topology, meeting.first)));
}

}  // namespace weir::scenario
