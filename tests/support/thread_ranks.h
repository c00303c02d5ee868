// Ranks that are threads of one process: what they tell each other goes through memory.
#pragma once

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "weir/engine/parallel/ranks.h"

namespace weir {

class ThreadRanks {
 public:
  explicit ThreadRanks(std::uint32_t size) : meeting_(size), words_(size), out_(size, std::vector<std::string>(size)) {}

  // Calls body(ranks) on a thread for each rank, and throws what the first of them has thrown. All must throw, or none.
  void run(const std::function<void(engine::Ranks&)>& body) {
    std::vector<std::exception_ptr> failures(words_.size());
    std::vector<std::thread> threads;
    for (std::uint32_t r = 0; r < words_.size(); ++r)
      threads.emplace_back([&, r] {
        try {
          One one(*this, r);
          body(one);
        } catch (...) {
          failures[r] = std::current_exception();
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (const auto& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }

 private:
  class One final : public engine::Ranks {
   public:
    One(ThreadRanks& all, std::uint32_t rank) : all_(all), rank_(rank) {}
    std::uint32_t rank() const override { return rank_; }
    std::uint32_t size() const override { return static_cast<std::uint32_t>(all_.words_.size()); }
    void all_gather(std::span<const std::uint64_t> own, std::span<std::uint64_t> all) override {
      if (all.size() != own.size() * size()) throw std::logic_error("all_gather: the lengths do not fit");
      all_.words_[rank_].assign(own.begin(), own.end());
      all_.meeting_.arrive_and_wait();
      auto at = all.begin();
      for (const auto& of_rank : all_.words_) at = std::copy(of_rank.begin(), of_rank.end(), at);
      all_.meeting_.arrive_and_wait();
    }
    void all_to_all(std::span<const std::string_view> out, std::span<std::string> in) override {
      for (std::uint32_t r = 0; r < size(); ++r) all_.out_[rank_][r] = out[r];
      all_.meeting_.arrive_and_wait();
      bool fits = true;
      for (std::uint32_t r = 0; r < size(); ++r) {
        if (r == rank_) continue;
        fits = fits && in[r].size() == all_.out_[r][rank_].size();
        in[r] = all_.out_[r][rank_];
      }
      all_.meeting_.arrive_and_wait();
      if (!fits) throw std::logic_error("all_to_all: the lengths do not fit");
    }
    [[noreturn]] void abort(int status) override { std::_Exit(status); }

   private:
    ThreadRanks& all_;
    std::uint32_t rank_;
  };

  std::barrier<> meeting_;
  std::vector<std::vector<std::uint64_t>> words_;  // by rank
  std::vector<std::vector<std::string>> out_;      // by sender, then receiver
};

}  // namespace weir
