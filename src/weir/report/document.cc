#include "weir/report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "weir/base/error.h"
#include "weir/figure/document.h"
#include "weir/figure/thin.h"
#include "weir/report/figures.h"
#include "weir/report/read.h"
#include "weir/report/setting.h"
#include "weir/report/study.h"
#include "weir/result/sweep.h"

namespace weir::report {
namespace {

namespace fs = std::filesystem;

constexpr int kDepth = 3;  // folders in a folder: results/PAPER/FIGURE

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// One name of a directory, however it is called: "results" of "results/" and "./results", but whole.
std::string canonical(const std::string& directory) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(directory, error);
  if (error) path = directory;
  if (!path.has_filename()) path = path.parent_path();
  return path.string();
}

// The directory's own name, also of "." and "results/".
std::string name_of(const std::string& directory) { return fs::path(canonical(directory)).filename().string(); }

// Folders in alphabetical order, without those of runs under way or broken off.
std::vector<std::string> folders(const std::string& in) {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(in, error))
    if (entry.is_directory(error) && entry.path().filename().string().find(".partial") == std::string::npos)
      out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

class Reader {
 public:
  Document read(const std::vector<std::string>& directories) {
    std::vector<std::string> named;
    for (const auto& directory : directories)
      if (named_.insert(canonical(directory)).second) {
        add(directory);
        named.push_back(directory);
      }
    rename();
    std::vector<Run> compared;
    if (loose_.size() > kMaxCompared)
      too_many_runs(fmt::format("here are {}. Name fewer directories to see them", loose_.size()));
    else
      compared = loose();
    std::vector<Figure> figures = compared.empty() ? std::vector<Figure>() : standard_figures(compared);
    std::map<std::string, std::size_t> place;
    for (std::size_t i = 0; i < compared.size(); ++i) place[compared[i].name] = loose_[i];
    for (Figure& figure : figures) tell_of_runs(figure, place);
    // studies' figures first: they are what was asked for
    out_.figures.insert(out_.figures.end(), std::make_move_iterator(figures.begin()),
                        std::make_move_iterator(figures.end()));
    for (Figure& figure : training_figures(out_.trainings)) out_.figures.push_back(std::move(figure));
    if (!out_.captures.empty())
      for (Figure& figure : host_figures(out_.captures, compared)) out_.figures.push_back(std::move(figure));
    if (out_.figures.empty()) out_.no_figures = why_no_figures();
    make_ids_unique();
    tell_differences();
    out_.title = title(named);
    return std::move(out_);
  }

 private:
  void add(const std::string& directory) {
    std::error_code error;
    if (fs::is_regular_file(directory, error) && directory.ends_with(".toml")) {
      add_training(read_policy_alone(directory, fs::path(directory).stem().string()));
      return;
    }
    if (!fs::exists(directory, error)) throw InputError(directory + ": there is no such directory");
    if (!fs::is_directory(directory, error))
      throw InputError(directory +
                       ": it is no directory; name one that weir run, weir sweep, weir paper or weir train "
                       "has written, or a policy.toml");
    if (!add_results(directory, kDepth))
      throw InputError(fmt::format(
          "{}: no result in it; a directory of weir run --out has manifest.json, one of weir sweep runs.csv, one of "
          "weir paper verdicts.json, one of weir train curriculum.toml, one of weir-host trace packets.csv",
          directory));
  }

  // What a directory holds that has not been read yet, and the folders in it, so many deep. False if it holds nothing.
  bool add_results(const std::string& directory, int depth) {
    if (read_.contains(canonical(directory))) return true;
    const bool found = add_unread(directory, depth);
    if (found) read_.insert(canonical(directory));
    return found;
  }

  bool add_unread(const std::string& directory, int depth) {
    if (is_run(directory)) {
      add_run(directory, name_of(directory), "", true);
      return true;
    }
    bool found = false;
    if (result::is_host_trace(directory)) {
      add_capture(directory);
      found = true;
    } else if (is_training(directory)) {
      add_training(read_training(directory, name_of(directory)));
      found = true;
    } else if (result::is_sweep(directory)) {
      add_study(directory);
      found = true;
    } else if (depth > 0) {
      for (const auto& name : folders(directory))
        if (add_found(fmt::format("{}/{}", directory, name), depth - 1)) found = true;
    }
    if (exists(directory + "/figures.json")) {
      add_figures(directory);
      found = true;
    }
    if (exists(directory + "/verdicts.json")) {
      add_claims(directory + "/verdicts.json");
      found = true;
    }
    return found;
  }

  // A folder that nobody named: what is wrong with it does not keep the others from being shown.
  bool add_found(const std::string& directory, int depth) {
    try {
      return add_results(directory, depth);
    } catch (const InputError& error) {
      not_shown(error);
      return true;
    }
  }

  void too_many_runs(const std::string& here) {
    too_many_ = fmt::format("Figures that compare runs are drawn for up to {} of them; {}.", kMaxCompared, here);
    out_.notices.push_back(too_many_);
  }

  std::string why_no_figures() const {
    if (!too_many_.empty()) return too_many_;
    const auto of_study = [](const Run& run) { return !run.group.empty() && !run.has("flows.csv"); };
    if (std::any_of(out_.runs.begin(), out_.runs.end(), of_study))
      return "The runs of the sweep have not kept the files that figures are made of. Its study says which are kept: "
             "those that its measures and figures read, and those in keep.";
    return "Nothing here has finished flows, or probes that keep series.";
  }

  void not_shown(const InputError& error) { out_.notices.push_back(fmt::format("Not shown: {}.", error.what())); }

  // A run that is named by itself and with its study is shown once, as the study's, and compared.
  std::size_t add_run(const std::string& path, const std::string& name, const std::string& group, bool compare) {
    auto at = run_at_.find(canonical(path));
    if (at == run_at_.end()) {
      Run run = read_run(path, name);
      settings_.push_back(settings_of(run));
      run.events = link_events(settings_.back());
      run.algorithms = algorithms_of(run, settings_.back());
      if (std::string steering = steering_event(run); !steering.empty())
        run.events.insert(run.events.begin(), std::move(steering));
      if (std::string fork = fork_event(run); !fork.empty()) run.events.insert(run.events.begin(), std::move(fork));
      out_.runs.push_back(std::move(run));
      at = run_at_.emplace(canonical(path), out_.runs.size() - 1).first;
      if (!out_.runs.back().files.is_checked())
        out_.notices.push_back(
            fmt::format("Not checked: {}: its {} lists no files, as an earlier weir wrote it, so that a changed one "
                        "goes unnoticed.",
                        path, result::kManifest));
    }
    Run& run = out_.runs[at->second];
    if (!group.empty()) run.group = group;
    if (compare && std::find(loose_.begin(), loose_.end(), at->second) == loose_.end()) loose_.push_back(at->second);
    return at->second;
  }

  void add_training(Training training) {
    const std::string name = training.name;
    const auto has_its_name = [&](const Training& other) { return other.name == training.name; };
    for (int n = 2; std::any_of(out_.trainings.begin(), out_.trainings.end(), has_its_name); ++n)
      training.name = fmt::format("{} ({})", name, n);
    if (!training.title.empty()) titles_.push_back(training.title);
    if (!training.policy)
      out_.notices.push_back(fmt::format("Not shown: the policy of {}: {}.", training.name,
                                         training.gives_policy
                                             ? "its training has not ended"
                                             : "its method is there to be compared with, and gives none"));
    out_.trainings.push_back(std::move(training));
  }

  void add_capture(const std::string& directory) {
    const std::string name = name_of(directory);
    HostCapture capture = read_host_capture(directory, name);
    const auto has_its_name = [&](const HostCapture& other) { return other.name == capture.name; };
    for (int n = 2; std::any_of(out_.captures.begin(), out_.captures.end(), has_its_name); ++n)
      capture.name = fmt::format("{} ({})", name, n);
    out_.captures.push_back(std::move(capture));
  }

  void add_study(const std::string& directory) {
    StudyResult found = read_study(directory, name_of(directory));
    const bool has_figures = exists(directory + "/figures.json");
    const bool compare = !has_figures && found.done.size() <= kMaxCompared;
    const bool has_seeds = std::any_of(found.done.begin(), found.done.end(), [&](const result::SweepRun& run) {
      return run.seed != found.done.front().seed;
    });
    if (!has_figures) {
      if (const auto title = found.sweep.value("title", ""); !title.empty()) titles_.push_back(title);
      if (!compare)
        too_many_runs(
            fmt::format("the sweep {} has {}, and no [[figure]] of its own. Add one to its study, or name some "
                        "of its runs, {}/runs/NAME",
                        found.study.name, found.done.size(), directory));
    }
    for (const result::SweepRun& done : found.done) {
      const std::string path = fmt::format("{}/runs/{}", directory, done.name);
      if (!is_run(path)) {
        out_.notices.push_back(fmt::format("Not shown: {}/runs.csv: run {} is done, but {} has no manifest.json.",
                                           directory, done.name, path));
        continue;
      }
      try {
        const std::size_t run = add_run(path, done.name, found.study.name, compare);
        study_runs_[directory][done.name] = run;
        out_.runs[run].labels = done.labels;
        if (has_seeds) out_.runs[run].labels.push_back("seed " + done.seed);
      } catch (const InputError& error) {
        not_shown(error);
      }
    }
    try {
      read_points(directory, found);
    } catch (const InputError& error) {
      not_shown(error);
    }
    out_.studies.push_back(std::move(found.study));
  }

  void add_figures(const std::string& directory) {
    const std::string file = directory + "/figures.json";
    figure::Document found = figure::parse(read_text(file), file);
    if (!found.title.empty()) titles_.push_back(found.title);
    for (Figure& figure : found.figures) {
      figure.group = name_of(directory);
      tell_of_runs(figure, study_runs_[directory]);
      thin(figure, figure.kind == "stack" ? kMaxStackPoints : kMaxPoints);
      out_.figures.push_back(std::move(figure));
    }
  }

  // The setting of the runs that a figure shows, and what is missing of them; `known` has their places among the runs
  // by name. Of all of these if it does not say which.
  void tell_of_runs(Figure& figure, const std::map<std::string, std::size_t>& known) const {
    std::vector<Settings> settings;
    std::vector<Unfinished> unfinished;
    for (const auto i : shown_runs(figure, known)) {
      settings.push_back(settings_[i]);
      const Json& flows = out_.runs[i].summary.at("flows");
      unfinished.push_back(
          {out_.runs[i].name, flows.value("unfinished", std::uint64_t{0}), flows.value("finished", std::uint64_t{0})});
    }
    figure.setting = setting_line(settings);
    if (figure.of_flows) figure.left_out = left_out_text(unfinished);
  }

  static std::vector<std::size_t> shown_runs(const Figure& figure, const std::map<std::string, std::size_t>& known) {
    std::set<std::size_t> out;
    for (const auto& [name, place] : known)
      if (figure.runs.empty() || std::find(figure.runs.begin(), figure.runs.end(), name) != figure.runs.end())
        out.insert(place);
    return {out.begin(), out.end()};
  }

  void tell_differences() {
    auto all = differences(settings_);
    for (std::size_t i = 0; i < all.size(); ++i) out_.runs[i].differences = std::move(all[i]);
  }

  void add_claims(const std::string& file) {
    const Json document = parse_json(read_text(file), file);
    check_made_by(document, "weir", file, result::kVerdictsFormat);
    if (!document.contains("claims") || !document.at("claims").is_array())
      throw InputError(fmt::format("{}: claims: valid is a list of claims", file));
    for (const Json& claim : document.at("claims")) {
      const auto place = fmt::format("{}: claim {}", file, &claim - &document.at("claims").at(0) + 1);
      for (const char* key : {"id", "verdict"})
        if (!claim.is_object() || !claim.contains(key) || !claim.at(key).is_string())
          throw InputError(fmt::format("{}: {}: valid is a text", place, key));
      const auto& verdict = claim.at("verdict").get_ref<const std::string&>();
      if (verdict != "holds" && verdict != "fails" && verdict != "undecided" && verdict != "not run")
        throw InputError(fmt::format("{}: verdict: '{}'; valid is holds, fails, undecided, not run", place, verdict));
      add_claim(claim);
    }
  }

  // The last verdict counts.
  void add_claim(const Json& claim) {
    for (Json& other : out_.claims)
      if (other.at("id") == claim.at("id")) {
        other = claim;
        return;
      }
    out_.claims.push_back(claim);
  }

  // Runs of one name are told apart by the folders they are in, as far up as it takes.
  void rename() {
    for (bool changed = true; changed;) {
      changed = false;
      std::map<std::pair<std::string, std::string>, int> count;
      for (const Run& run : out_.runs) ++count[{run.group, run.name}];
      for (Run& run : out_.runs) {
        if (count.at({run.group, run.name}) < 2) continue;
        std::error_code error;
        const std::string path = fs::weakly_canonical(run.files.path(), error).string();
        const auto known = path.size() - std::min(path.size(), run.name.size());
        const auto slash = known > 1 ? path.rfind('/', known - 2) : std::string::npos;
        if (slash == std::string::npos || !path.ends_with("/" + run.name)) continue;
        run.name = path.substr(slash + 1);
        changed = true;
      }
    }
  }

  // Runs of several studies may have one name, and their figures show no study.
  std::vector<Run> loose() const {
    std::vector<Run> out;
    std::map<std::string, int> count;
    for (const auto i : loose_) ++count[out_.runs[i].name];
    for (const auto i : loose_) {
      out.push_back(out_.runs[i]);
      Run& run = out.back();
      if (count.at(run.name) > 1 && !run.group.empty()) run.name = fmt::format("{}/{}", run.group, run.name);
    }
    return out;
  }

  // As names of files: small letters, digits and hyphens.
  void make_ids_unique() {
    std::set<std::string> taken;
    for (Figure& figure : out_.figures) {
      std::string id;
      for (const char c : figure.id) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : letter ? c : '-';
        if (small != '-' || (!id.empty() && id.back() != '-')) id += small;
      }
      while (id.ends_with('-')) id.pop_back();
      if (id.empty()) id = "figure";
      figure.id = id;
      for (int n = 2; !taken.insert(figure.id).second; ++n) figure.id = fmt::format("{}-{}", id, n);
    }
  }

  std::string title(const std::vector<std::string>& directories) const {
    if (out_.runs.size() == 1 && out_.studies.empty()) {
      auto text = out_.runs[0].manifest.value("title", "");
      if (!text.empty()) return text;
    }
    if (directories.size() == 1 && titles_.size() == 1 && out_.studies.size() <= 1) return titles_[0];
    std::string out;
    for (std::size_t i = 0; i < directories.size() && i < 3; ++i) out += (i == 0 ? "" : ", ") + name_of(directories[i]);
    if (directories.size() > 3) out += fmt::format(" and {} more", directories.size() - 3);
    return out;
  }

  Document out_;
  std::vector<std::string> titles_;                                       // of studies
  std::string too_many_;                                                  // runs for figures of them
  std::vector<std::size_t> loose_;                                        // runs that standard figures show
  std::vector<Settings> settings_;                                        // of the runs
  std::map<std::string, std::map<std::string, std::size_t>> study_runs_;  // by directory and name
  std::set<std::string> named_;  // directories by their canonical names, as in the next two
  std::set<std::string> read_;
  std::map<std::string, std::size_t> run_at_;  // its place among the runs
};

}  // namespace

Document read(const std::vector<std::string>& directories) { return Reader().read(directories); }

}  // namespace weir::report
