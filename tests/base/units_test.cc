#include "weir/base/units.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <type_traits>

namespace weir {
namespace {

using namespace weir::literals;

template <class A, class B>
concept Adds = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Multiplies = requires(A a, B b) {
  a* b;
};
template <class A, class B>
concept Compares = requires(A a, B b) {
  a < b;
};

TEST(Units, DoNotMix) {
  static_assert(Adds<Time, Time> && Adds<Bytes, Bytes> && Adds<Rate, Rate>);
  static_assert(!Adds<Time, Bytes> && !Adds<Bytes, Rate> && !Adds<Time, Rate> && !Adds<Time, int>);
  static_assert(Multiplies<Time, int> && Multiplies<int, Bytes> && Multiplies<int, Rate>);
  static_assert(!Multiplies<Time, Time> && !Multiplies<Time, Rate>);
  static_assert(Compares<Time, Time> && !Compares<Time, Bytes> && !Compares<Time, int>);
  static_assert(!std::is_convertible_v<std::int64_t, Time> && !std::is_convertible_v<Time, std::int64_t>);
}

TEST(Units, AreOneRegisterWide) {
  static_assert(sizeof(Time) == 8 && sizeof(Bytes) == 8 && sizeof(Rate) == 8);
  static_assert(std::is_trivially_copyable_v<Time> && std::is_trivially_copyable_v<Bytes>);
}

TEST(Units, Literals) {
  static_assert((1_s).ps == kPicosecondsPerSecond);
  static_assert(1_s == 1000_ms && 1_ms == 1000_us && 1_us == 1000_ns && 1_ns == 1000_ps);
  static_assert(1_GB == 1000_MB && 1_MB == 1000_KB && 1_KB == 1000_B);
  static_assert(1_GiB == 1024_MiB && 1_MiB == 1024_KiB && 1_KiB == 1024_B);
  static_assert(1_Tbps == 1000_Gbps && 1_Gbps == 1000_Mbps && 1_Mbps == 1000_Kbps && 1_Kbps == 1000_bps);
}

TEST(Units, Arithmetic) {
  static_assert(3_us + 200_ns - 1_us == 2200_ns);
  static_assert(2 * 3_us == 3_us * 2 && 7_us / 2 == 3500_ns);
  static_assert(10_us / 3_us == 3 && 10_KB / 3_KB == 3);
  static_assert(2 * 50_Gbps == 400_Gbps / 4);
  static_assert((100_Gbps).bytes_per_second() == 12.5e9);
  Time t = 1_us;
  t += 1_ns;
  t -= 2_us;
  EXPECT_EQ(t.ps, -999'000);
  Bytes b = 1_KB;
  b += 24_B;
  EXPECT_EQ(b, 1_KiB);
  b -= 1_KiB;
  EXPECT_EQ(b, Bytes{});
}

TEST(Units, TransmissionTimeRoundsUp) {
  struct Case {
    Bytes size;
    Rate rate;
    Time expected;
  };
  for (const auto& [size, rate, expected] : std::initializer_list<Case>{
           // A byte lasts a whole number of picoseconds at the usual rates.
           {1_B, 25_Gbps, 320_ps},
           {1_B, 40_Gbps, 200_ps},
           {1_B, 50_Gbps, 160_ps},
           {1_B, 100_Gbps, 80_ps},
           {1_B, 200_Gbps, 40_ps},
           {1_B, 400_Gbps, 20_ps},
           {1_B, 800_Gbps, 10_ps},
           {1500_B, 100_Gbps, 120_ns},
           // Otherwise up to the next one.
           {1_B, 3_Gbps, 2667_ps},
           {3_B, 3_Gbps, 8000_ps},
           {1_B, 9_Tbps, 1_ps},
           {0_B, 1_bps, 0_ps},
           // On both sides of the change from 64 to 128 bits.
           {1_MiB - 1_B, 800_Gbps, 10_ps * 1'048'575},
           {1_MiB, 800_Gbps, 10_ps * 1'048'576},
           {1_MiB - 1_B, 3_Gbps, Time{2'796'200'000}},
           {1_MiB, 3_Gbps, Time{2'796'202'667}},
           {1_MiB - 1_B, Rate{INT64_MAX}, 1_ps},
           // A flow, not only a packet.
           {30_MB, 100_Gbps, 2400_us},
           {1_GB, 10_Mbps, 800_s},
       })
    EXPECT_EQ(transmission_time(size, rate).ps, expected.ps) << size.count << " B at " << rate.bits_per_second;
}

TEST(Units, BytesInSpan) {
  static_assert(transmission_time(1'000'000_GB, 1_Kbps) == Time::max());
  static_assert(transmission_time(1'000'000_GB, 100_Gbps) == 80'000_s);
  static_assert(saturating_sum(1_s, 2_s) == 3_s && saturating_sum(Time::max(), 1_ps) == Time::max());
  static_assert(saturating_sum(Time::max() - 1_ps, 1_ps) == Time::max());
  static_assert(bytes_in(12_us, 100_Gbps) == 150_KB);
  static_assert(bytes_in(79_ps, 100_Gbps) == 0_B && bytes_in(80_ps, 100_Gbps) == 1_B);
  static_assert(bytes_in(0_s, 100_Gbps) == 0_B);
  static_assert(bytes_in(3600_s, 800_Gbps) == 360'000_GB);
  static_assert(bytes_in(0_s - 80_ps, 100_Gbps) == 0_B - 1_B);
  static_assert(bytes_in(1'000'000_s, kMaxRate) == Bytes{std::int64_t{1} << 62});
}

TEST(Units, BytesInUndoesTransmissionTime) {
  for (const auto rate : {1_Gbps, 3_Gbps, 25_Gbps, 100_Gbps, 800_Gbps, Rate{123'456'789'012}})
    for (const auto size : {1_B, 64_B, 1000_B, 1518_B, 9000_B, 5_MB})
      EXPECT_EQ(bytes_in(transmission_time(size, rate), rate), size) << rate.bits_per_second;
}

}  // namespace
}  // namespace weir
