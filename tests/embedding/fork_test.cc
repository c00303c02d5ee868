// A run that is copied by fork(2): the child goes on as the parent does, with threads of its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "weir/scenario.h"
#include "weir/simulation.h"

namespace weir {
namespace {

using namespace literals;

std::uint64_t digest_at_end(Simulation& run) {
  while (!run.advance()) {
  }
  return run.engine().state_digest();
}

// Of the run in a child, which sends a flow more if it is told to; 0 = the child has failed.
std::uint64_t digest_in_child(Simulation& run, bool sends) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  const pid_t child = fork();
  if (child == 0) {
    run.engine().after_fork();
    if (sends) run.send({.src = 0, .dst = 9, .size = 1_MB});
    const std::uint64_t digest = digest_at_end(run);
    const bool is_written = write(ends[1], &digest, sizeof digest) == sizeof digest;
    _exit(is_written ? 0 : 1);  // no test goes on here
  }
  close(ends[1]);
  std::uint64_t digest = 0;
  if (read(ends[0], &digest, sizeof digest) != sizeof digest) digest = 0;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return digest;
}

TEST(ForkedProcess, GoesOnByItself) {
  std::uint64_t of_one_thread = 0;
  for (const char* threads : {"run.threads=1", "run.threads=2"}) {
    Simulation run(Scenario::from_values(
        {"topology.kind=leaf-spine", "topology.leaves=2", "topology.spines=2", "topology.hosts_per_leaf=8",
         "algorithm.name=hpcc", "traffic=[{kind='poisson', sizes='WebSearch', load=0.8, stop='200 us'}]", threads}));
    ASSERT_FALSE(run.advance(100_us));
    const std::uint64_t alike = digest_in_child(run, false);
    const std::uint64_t steered = digest_in_child(run, true);
    const std::uint64_t here = digest_at_end(run);
    EXPECT_EQ(alike, here);
    EXPECT_NE(steered, here);
    EXPECT_NE(steered, 0u);
    if (of_one_thread == 0) of_one_thread = here;
    EXPECT_EQ(here, of_one_thread);
  }
}

}  // namespace
}  // namespace weir
