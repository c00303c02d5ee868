#include "weir/base/large_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "weir/base/sanitized.h"

namespace weir {
namespace {

struct Block {
  unsigned char* at = nullptr;
  std::size_t bytes = 0;
  unsigned char mark = 0;
};

Block take(std::size_t bytes, unsigned char mark) {
  const Block block{static_cast<unsigned char*>(take_large_page_block(bytes)), bytes, mark};
  std::memset(block.at, mark, bytes);
  return block;
}

bool holds_its_mark(const Block& block) {
  for (std::size_t i = 0; i < block.bytes; ++i)
    if (block.at[i] != block.mark) return false;
  return true;
}

// Blocks of all sizes, taken and given back in any order, overlap nowhere.
void take_and_give(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Block> blocks;
  for (int step = 0; step < 2'000; ++step) {
    if (blocks.empty() || random() % 5 < 3) {
      const std::size_t bytes = 1 + random() % (std::size_t{1} << (1 + random() % 16));
      blocks.push_back(take(bytes, static_cast<unsigned char>(random())));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back().at) % 64, 0u);
    } else {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      ASSERT_TRUE(holds_its_mark(blocks.back()));
      give_large_page_block(blocks.back().at, blocks.back().bytes);
      blocks.pop_back();
    }
  }
  for (const Block& block : blocks) {
    ASSERT_TRUE(holds_its_mark(block));
    give_large_page_block(block.at, block.bytes);
  }
}

TEST(LargePages, BlocksDoNotOverlap) { take_and_give(1); }

// Whatever stood in the memory before.
TEST(LargePages, ZeroedArraysAreZero) {
  for (const bool sparse : {false, true})
    for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{5'000}, std::size_t{1} << 20}) {
      for (int round = 0; round < 2; ++round) {
        ZeroedArray<std::uint32_t> array(size, sparse);
        ASSERT_EQ(array.size(), size);
        for (std::size_t i = 0; i < size; ++i) {
          ASSERT_EQ(array[i], 0u);
          array[i] = static_cast<std::uint32_t>(i + 1);
        }
        ZeroedArray<std::uint32_t> other = std::move(array);
        for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(other[i], i + 1);
      }
    }
}

TEST(LargePages, ThreadsShareThem) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) threads.emplace_back(take_and_give, t);
  for (std::thread& thread : threads) thread.join();
}

TEST(LargePages, HaveBlocksLargerThanAPage) {
  for (const std::size_t bytes : {(std::size_t{1} << 20) - 1, (std::size_t{1} << 20) + 1, std::size_t{5} << 20}) {
    const Block block = take(bytes, 7);
    EXPECT_TRUE(holds_its_mark(block));
    give_large_page_block(block.at, bytes);
  }
  give_large_page_block(nullptr, 64);
}

TEST(LargePages, NoRoomIsAnException) {
  if (WEIR_SANITIZED) GTEST_SKIP() << "sanitizers end the program at such a size";
  EXPECT_THROW(take_large_page_block(~std::size_t{0} / 2), std::bad_alloc);
}

TEST(LargePages, HoldAVector) {
  LargePageVector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 1'000'000; ++i) numbers.push_back(i);
  for (std::uint32_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
}

}  // namespace
}  // namespace weir
