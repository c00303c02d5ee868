// Ranks by MPI: a module that the weir command loads when mpirun has started it (apps/weir/ranks.cc). It is compiled
// for each implementation of MPI apart, for they have no binary interface in common.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <span>
#include <string_view>
#include <vector>

#include "weir/engine/parallel/ranks.h"
#include "weir_version.h"

namespace {

using weir::engine::Ranks;

constexpr std::size_t kLargest = std::size_t{1} << 30;  // bytes of a message; MPI counts them in an int
constexpr std::uint32_t kFewRanks = 16;                 // up to so many tell each other directly

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &value);
    rank_ = static_cast<std::uint32_t>(value);
    MPI_Comm_size(MPI_COMM_WORLD, &value);
    size_ = static_cast<std::uint32_t>(value);
  }
  ~MpiRanks() override { MPI_Finalize(); }

  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return size_; }

  void all_gather(std::span<const std::uint64_t> own, std::span<std::uint64_t> all) override {
    if (size_ > kFewRanks) {
      const int count = static_cast<int>(own.size());
      MPI_Iallgather(own.data(), count, MPI_UINT64_T, all.data(), count, MPI_UINT64_T, MPI_COMM_WORLD, &request());
    } else {
      const std::size_t bytes = own.size_bytes();
      for (std::uint32_t r = 0; r < size_; ++r)
        if (r != rank_) receive(all.data() + r * own.size(), bytes, r);
      for (std::uint32_t r = 0; r < size_; ++r)
        if (r != rank_) send(own.data(), bytes, r);
      std::copy(own.begin(), own.end(), all.begin() + static_cast<std::ptrdiff_t>(rank_ * own.size()));
    }
    wait();
  }

  void all_to_all(std::span<const std::string_view> out, std::span<std::string> in) override {
    for (std::uint32_t r = 0; r < size_; ++r)
      if (r != rank_) receive(in[r].data(), in[r].size(), r);
    for (std::uint32_t r = 0; r < size_; ++r)
      if (r != rank_) send(out[r].data(), out[r].size(), r);
    wait();
  }

  [[noreturn]] void abort(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
  }

 private:
  using Clock = std::chrono::steady_clock;

  MPI_Request& request() { return requests_.emplace_back(MPI_REQUEST_NULL); }

  void receive(void* to, std::size_t size, std::uint32_t from) {
    for (std::size_t at = 0; at < size; at += kLargest)
      MPI_Irecv(static_cast<char*>(to) + at, static_cast<int>(std::min(kLargest, size - at)), MPI_BYTE,
                static_cast<int>(from), 0, MPI_COMM_WORLD, &request());
  }
  void send(const void* from, std::size_t size, std::uint32_t to) {
    for (std::size_t at = 0; at < size; at += kLargest)
      MPI_Isend(static_cast<const char*>(from) + at, static_cast<int>(std::min(kLargest, size - at)), MPI_BYTE,
                static_cast<int>(to), 0, MPI_COMM_WORLD, &request());
  }

  // Looks without a pause at first, and then lets others have the processor: where there are fewer of them than
  // threads, those that it waits for may need this one.
  void wait() {
    const auto patience = Clock::now() + std::chrono::microseconds(50);
    for (int looks = 0, done = 0;;) {
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
      if (done != 0) break;
      if (++looks % 16 == 0 && Clock::now() > patience) sched_yield();
    }
    requests_.clear();
  }

  std::uint32_t rank_ = 0;
  std::uint32_t size_ = 1;
  std::vector<MPI_Request> requests_;
};

}  // namespace

// The version of Weir that it belongs to.
extern "C" __attribute__((visibility("default"))) const char* weir_ranks_version() { return WEIR_VERSION; }

// The ranks of this job, to be deleted as the process ends; null if MPI cannot be begun. Once.
extern "C" __attribute__((visibility("default"))) Ranks* weir_ranks_open() {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED)
    return nullptr;
  return new MpiRanks();
}
