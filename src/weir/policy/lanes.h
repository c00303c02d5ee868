// Lanes of whole numbers, as int8 networks compute with them: 8 of 16 bits or 4 of 32. Sse2 and Plain give the same
// bits; Lanes is the quicker one that the machine has.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "weir/policy/index.h"

namespace weir::policy {

struct Plain {
  struct V {
    std::array<std::int16_t, 8> lane;
  };

  static V load(const void* p) {
    V v;
    std::memcpy(&v, p, sizeof(v));
    return v;
  }
  static void store(void* p, V v) { std::memcpy(p, &v, sizeof(v)); }
  static V zero() { return V{}; }
  static V all16(std::int16_t x) {
    return each16(V{}, [x](int) { return x; });
  }
  static V all32(std::int32_t x) {
    return each32([x](int) { return x; });
  }
  // 4 lanes from p, and zeros.
  static V half_load(const void* p) {
    V v{};
    std::memcpy(&v, p, sizeof(v) / 2);
    return v;
  }
  // The `which`-th 32 bits of v, in all 4 lanes.
  template <int which>
  static V spread(V v) {
    return all32(at32(v, which));
  }
  // 4 or 2 floats at p times `by`, limited to +-32767, to the nearest whole number (half to even); zeros behind.
  static V rounded(const float* p, int count, float by) {
    V v{};
    for (int i = 0; i < count; ++i) {
      const float limited = std::min(std::max(p[i] * by, -32767.0f), 32767.0f);
      v.lane[index(i)] = static_cast<std::int16_t>((limited + 0x1.8p23f) - 0x1.8p23f);
    }
    return v;
  }

  static std::int16_t first16(V v) { return v.lane[0]; }
  // The sum of the 4 lanes.
  static std::int32_t sum32(V v) { return wrap(std::int64_t{at32(v, 0)} + at32(v, 1) + at32(v, 2) + at32(v, 3)); }

  // v, and the compiler does not know it: sums are added in the order that is written.
  static V kept(V v) { return v; }
  static V add32(V a, V b) {
    return each32([&](int i) { return wrap(std::int64_t{at32(a, i)} + at32(b, i)); });
  }
  static V shift_right32(V a, int n) {
    return each32([&](int i) { return at32(a, i) >> n; });
  }
  // Sums of two neighbouring products.
  static V multiply_add(V a, V b) {
    return each32([&](int i) {
      const auto k = index(2 * i);
      return wrap(std::int64_t{a.lane[k]} * b.lane[k] + std::int64_t{a.lane[k + 1]} * b.lane[k + 1]);
    });
  }
  // The 4 lanes of a, then those of b, limited to 16 bits.
  static V pack(V a, V b) {
    V out;
    for (int i = 0; i < 4; ++i) {
      out.lane[static_cast<std::size_t>(i)] = limit(at32(a, i));
      out.lane[static_cast<std::size_t>(i) + 4] = limit(at32(b, i));
    }
    return out;
  }
  // Lanes 0 to 3 (low) or 4 to 7 of a and b in turns: a0 b0 a1 b1 ...
  static V mix_low(V a, V b) { return mix(a, b, 0); }
  static V mix_high(V a, V b) { return mix(a, b, 4); }
  // 8 bytes at p, each as the upper half of a lane.
  static V bytes_up(const void* p) {
    std::array<std::int8_t, 8> bytes;
    std::memcpy(bytes.data(), p, bytes.size());
    return each16(V{}, [&](int i) { return static_cast<std::int16_t>(bytes[static_cast<std::size_t>(i)] * 256); });
  }
  // The lanes, limited to 8 bits, as 8 bytes at p.
  static void store_bytes(void* p, V v) {
    std::array<std::int8_t, 8> bytes;
    for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::int8_t>(std::clamp<int>(v.lane[i], -128, 127));
    std::memcpy(p, bytes.data(), bytes.size());
  }

  static V add16(V a, V b) {
    return each16(a, [&](int i) { return static_cast<std::int16_t>(x(a, i) + x(b, i)); });
  }
  static V add16_limited(V a, V b) {
    return each16(a, [&](int i) { return limit(x(a, i) + x(b, i)); });
  }
  static V sub16_limited(V a, V b) {
    return each16(a, [&](int i) { return limit(x(a, i) - x(b, i)); });
  }
  static V max16(V a, V b) {
    return each16(a, [&](int i) { return static_cast<std::int16_t>(std::max(x(a, i), x(b, i))); });
  }
  static V shift_left16(V a, int n) {
    return each16(a, [&](int i) { return static_cast<std::int16_t>(x(a, i) << n); });
  }
  static V shift_right16(V a, int n) {
    return each16(a, [&](int i) { return static_cast<std::int16_t>(x(a, i) >> n); });
  }
  static V xor16(V a, V b) {
    return each16(a, [&](int i) { return static_cast<std::int16_t>(x(a, i) ^ x(b, i)); });
  }
  // The upper halves of the products; unsigned: of lanes from 0 to 65535.
  static V high16(V a, V b) {
    return each16(a, [&](int i) { return static_cast<std::int16_t>((x(a, i) * x(b, i)) >> 16); });
  }
  static V high16_unsigned(V a, V b) {
    return each16(a, [&](int i) {
      const auto product = std::uint32_t{static_cast<std::uint16_t>(x(a, i))} * static_cast<std::uint16_t>(x(b, i));
      return static_cast<std::int16_t>(product >> 16);
    });
  }

 private:
  static int x(V v, int i) { return v.lane[static_cast<std::size_t>(i)]; }
  static std::int32_t at32(V v, int i) {
    std::int32_t out;
    std::memcpy(&out, &v.lane[index(2 * i)], sizeof(out));
    return out;
  }
  static std::int32_t wrap(std::int64_t v) { return static_cast<std::int32_t>(v); }
  static std::int16_t limit(int v) { return static_cast<std::int16_t>(std::clamp(v, -32768, 32767)); }
  template <class F>
  static V each16(V v, F&& f) {
    for (int i = 0; i < 8; ++i) v.lane[static_cast<std::size_t>(i)] = f(i);
    return v;
  }
  template <class F>
  static V each32(F&& f) {
    V v{};
    for (int i = 0; i < 4; ++i) {
      const std::int32_t value = f(i);
      std::memcpy(&v.lane[index(2 * i)], &value, sizeof(value));
    }
    return v;
  }
  static V mix(V a, V b, std::size_t from) {
    V out;
    for (std::size_t i = 0; i < 4; ++i) {
      out.lane[2 * i] = a.lane[from + i];
      out.lane[2 * i + 1] = b.lane[from + i];
    }
    return out;
  }
};

#if defined(__SSE2__)
struct Sse2 {
  using V = __m128i;

  static V load(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
  static void store(void* p, V v) { _mm_storeu_si128(static_cast<__m128i*>(p), v); }
  static V zero() { return _mm_setzero_si128(); }
  static V all16(std::int16_t x) { return _mm_set1_epi16(x); }
  static V all32(std::int32_t x) { return _mm_set1_epi32(x); }
  static V half_load(const void* p) { return _mm_loadl_epi64(static_cast<const __m128i*>(p)); }
  template <int which>
  static V spread(V v) {
    return _mm_shuffle_epi32(v, 0x55 * which);
  }
  static V rounded(const float* p, int count, float by) {
    // two by two, as decide() writes them: what is put together from two stores makes a processor wait
    __m128 x = _mm_loadl_pi(_mm_setzero_ps(), reinterpret_cast<const __m64*>(p));
    if (count == 4) x = _mm_loadh_pi(x, reinterpret_cast<const __m64*>(p + 2));
    const __m128 limited =
        _mm_min_ps(_mm_max_ps(_mm_mul_ps(x, _mm_set1_ps(by)), _mm_set1_ps(-32767)), _mm_set1_ps(32767));
    return _mm_packs_epi32(_mm_cvtps_epi32(limited), _mm_setzero_si128());
  }

  static std::int16_t first16(V v) { return static_cast<std::int16_t>(_mm_cvtsi128_si32(v)); }
  static std::int32_t sum32(V v) {
    const V two = _mm_add_epi32(v, _mm_shuffle_epi32(v, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
  }

  static V kept(V v) {
    asm("" : "+x"(v));
    return v;
  }
  static V add32(V a, V b) { return _mm_add_epi32(a, b); }
  static V shift_right32(V a, int n) { return _mm_sra_epi32(a, _mm_cvtsi32_si128(n)); }
  static V multiply_add(V a, V b) { return _mm_madd_epi16(a, b); }
  static V pack(V a, V b) { return _mm_packs_epi32(a, b); }
  static V mix_low(V a, V b) { return _mm_unpacklo_epi16(a, b); }
  static V mix_high(V a, V b) { return _mm_unpackhi_epi16(a, b); }
  static V bytes_up(const void* p) {
    return _mm_unpacklo_epi8(_mm_setzero_si128(), _mm_loadl_epi64(static_cast<const __m128i*>(p)));
  }
  static void store_bytes(void* p, V v) { _mm_storel_epi64(static_cast<__m128i*>(p), _mm_packs_epi16(v, v)); }

  static V add16(V a, V b) { return _mm_add_epi16(a, b); }
  static V add16_limited(V a, V b) { return _mm_adds_epi16(a, b); }
  static V sub16_limited(V a, V b) { return _mm_subs_epi16(a, b); }
  static V max16(V a, V b) { return _mm_max_epi16(a, b); }
  static V shift_left16(V a, int n) { return _mm_slli_epi16(a, n); }
  static V shift_right16(V a, int n) { return _mm_srai_epi16(a, n); }
  static V xor16(V a, V b) { return _mm_xor_si128(a, b); }
  static V high16(V a, V b) { return _mm_mulhi_epi16(a, b); }
  static V high16_unsigned(V a, V b) { return _mm_mulhi_epu16(a, b); }
};
using Lanes = Sse2;
#else
using Lanes = Plain;
#endif

}  // namespace weir::policy
