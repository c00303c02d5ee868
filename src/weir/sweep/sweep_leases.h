// Which worker has which run of a sweep, where several workers share a directory in which no lock can be trusted.
//
// A lease is a file, DIR/claims/RUN.GENERATION, that is created exclusively (O_CREAT | O_EXCL, which file servers do as
// one step). The file's modification time is the owner's heartbeat: the owner touches the file ten times in a term.
//
//   free    the run has no file
//   held    the run has a file; if it has several, the one with the highest generation counts
//   dead    by the file server's clock the file has not been touched for a term, and the worker that says so has
//           watched it stay untouched for a third of a term, by its own clock. Both ages are differences of one clock,
//           so clocks that differ, or that are set meanwhile, make no lease dead.
//
// A dead lease is taken over by creating the file of the next generation: of two workers that try at once, one
// succeeds. It then removes the older file; nobody ever removes or renames a file on the suspicion that it is dead. An
// owner that was only slow finds the younger file, or its own gone, and gives the run up. What it may still do until
// then is harmless: results appear under their name by one rename, which is refused where a result is already
// (left_runs.h, run_process.h).
//
// Once a run has its result, its leases mean nothing: the worker that finds all runs done removes the files of killed
// workers.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weir::run {

// When a file was written by its server's time, in ns since 1970; nothing if there is none.
std::optional<std::int64_t> time_of_file(const std::string& path);

class SweepLeases {
 public:
  // Leases last for a term of so many seconds unless they are touched. Throws std::system_error if nothing can be
  // written to `dir`.
  SweepLeases(const std::string& dir, double term_s);
  SweepLeases(const SweepLeases&) = delete;
  SweepLeases& operator=(const SweepLeases&) = delete;
  // Gives back all leases that this worker holds.
  ~SweepLeases();

  // Takes the run if it is free or its lease is dead, and no other worker is quicker. What was known of the run
  // before may be old by then: look at its result after it has been taken. Throws std::system_error.
  bool take(const std::string& run);
  void give_back(const std::string& run);
  // Removes all leases of the runs for which `is_done` holds, whoever has them, and what else killed workers have left.
  void remove_of_done(const std::function<bool(const std::string& run)>& is_done);
  // Whether this worker holds the run, and no other has taken it over.
  bool is_mine(const std::string& run) const;
  // Touches this worker's leases if the time has come. Returns the runs that others have taken over since the last
  // call.
  std::vector<std::string> beat();

  // Reads which leases there are. The functions below tell of that instant.
  void look();
  // Whether another worker has a lease of the run.
  bool is_held(const std::string& run) const { return there_.count(run) > 0; }
  bool is_dead(const std::string& run) const;
  // Whether the owner has touched the lease since watch_anew(), or since look() first found it.
  bool is_beating(const std::string& run) const;
  // Looks, and forgets who was seen beating before.
  void watch_anew();

  // The file server's time now, in ns since 1970.
  std::int64_t now() const;

 private:
  using Clock = std::chrono::steady_clock;

  // A lease as it is seen at one instant.
  struct Lease {
    int generation = -1;  // none
    std::uint64_t file = 0;
    std::int64_t touched = 0;  // ns since 1970, by the file server

    bool operator==(const Lease& o) const {
      return generation == o.generation && file == o.file && touched == o.touched;
    }
  };
  struct Watched {
    Lease lease;
    Clock::time_point since;
    bool has_changed = false;
  };

  std::string path_of(const std::string& run, int generation) const;
  // Calls visit(path, run, generation) for each file of a lease, and for others with the generation -1.
  template <class Visit>
  void for_each_file(Visit&& visit) const;
  std::map<std::string, Lease> read() const;
  void watch(const std::string& run, const Lease& lease);
  bool make(const std::string& path) const;

  const std::string folder_;
  const std::chrono::duration<double> term_;
  int clock_ = -1;                      // descriptor of a file without a name, which tells the server's time
  std::map<std::string, int> mine_;     // generations
  std::map<std::string, Lease> there_;  // of the last look(), without those held by this one
  std::map<std::string, Watched> watched_;
  Clock::time_point beaten_;
};

}  // namespace weir::run
