// Who does which run, where several workers share a directory and no lock can be trusted.
//
// A claim is a file, DIR/claims/RUN.GENERATION, that is made exclusively (O_CREAT | O_EXCL, which file servers do as
// one step). Its time of change is the heartbeat: its owner touches it ten times in a lease.
//
//   free    there is no file of the run
//   held    there is one: that of the highest generation counts
//   dead    by the file server's own clock it has not been touched for a lease, and whoever says so has watched it
//           stay untouched for a third of one, by their own clock. Both ages are differences of one clock, so clocks
//           that differ, or that are set meanwhile, make nobody dead.
//
// A dead claim is taken over by making the file of the next generation: of two thieves at once one makes it. It then
// removes the older file; nobody ever removes or renames a file on the suspicion that it is dead. An owner that was
// only slow finds the younger file, or its own gone, and gives the run up. What it may still do by then harms nothing:
// results appear under their name by one rename, which is refused where there is one (left_runs.h, run_process.h).
//
// Once a run has its result, claims of it mean nothing: who finds all runs done removes what killed workers have left.
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

class Claims {
 public:
  // `lease` is in seconds. Throws std::system_error if nothing can be written to `dir`.
  Claims(const std::string& dir, double lease_s);
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;
  // Gives back what it holds.
  ~Claims();

  // Takes the run if it is free or its claim is dead, and this one is the first to do so. What was known of the run
  // before may be old by then: look at its result after it has been taken. Throws std::system_error.
  bool take(const std::string& run);
  void give_back(const std::string& run);
  // Removes all claims of the runs for which `is_done` holds, whoever has them, and what else killed workers have left.
  void remove_of_done(const std::function<bool(const std::string& run)>& is_done);
  // Whether it holds the run, and no one has taken it over.
  bool is_mine(const std::string& run) const;
  // Touches all that is held, if it is time to; the runs that others have taken over since.
  std::vector<std::string> beat();

  // Reads which claims there are; what follows is as of then.
  void look();
  // Whether another one has a claim of it.
  bool is_held(const std::string& run) const { return there_.count(run) > 0; }
  bool is_dead(const std::string& run) const;
  // Whether its owner has touched it since watch_anew(), or since it was first looked at.
  bool is_beating(const std::string& run) const;
  // Looks, and forgets who was seen beating before.
  void watch_anew();

  // The file server's time now, in ns since 1970.
  std::int64_t now() const;

 private:
  using Clock = std::chrono::steady_clock;

  // What is seen of a claim, as of one instant.
  struct Claim {
    int generation = -1;  // none
    std::uint64_t file = 0;
    std::int64_t touched = 0;  // ns since 1970, by the file server

    bool operator==(const Claim& o) const {
      return generation == o.generation && file == o.file && touched == o.touched;
    }
  };
  struct Watched {
    Claim claim;
    Clock::time_point since;
    bool has_changed = false;
  };

  std::string path_of(const std::string& run, int generation) const;
  // Calls visit(path, run, generation) for each file of a claim, and for others with the generation -1.
  template <class Visit>
  void for_each_file(Visit&& visit) const;
  std::map<std::string, Claim> read() const;
  void watch(const std::string& run, const Claim& claim);
  bool make(const std::string& path) const;

  const std::string folder_;
  const std::chrono::duration<double> lease_;
  int clock_ = -1;                      // descriptor of a file without a name, which tells the server's time
  std::map<std::string, int> mine_;     // generations
  std::map<std::string, Claim> there_;  // of the last look(), without those held by this one
  std::map<std::string, Watched> watched_;
  Clock::time_point beaten_;
};

}  // namespace weir::run
