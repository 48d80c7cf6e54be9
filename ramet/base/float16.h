#pragma once

#include <bit>
#include <cstdint>

namespace ramet {

// A Half is an IEEE 754 binary16 number, stored as bits. Conversions round to nearest even.
struct Half {
  uint16_t bits = 0;

  Half() = default;
  explicit Half(float f) : bits(FromFloat(f)) {}
  static constexpr Half FromBits(uint16_t b) {
    Half h;
    h.bits = b;
    return h;
  }
  explicit operator float() const {
    const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
    const uint32_t rest = bits & 0x7FFFu;
    if (rest >= 0x7C00u) return std::bit_cast<float>(sign | 0x7F800000u | ((rest & 0x3FFu) << 13));
    // No step may compute with a float that is too small to be normal: runs flush these to zero.
    const uint32_t magnitude = rest >= 0x400u
                                   ? (rest << 13) + 0x38000000u
                                   : std::bit_cast<uint32_t>(static_cast<float>(rest) * 0x1p-24f);
    return std::bit_cast<float>(magnitude | sign);
  }
  bool operator==(const Half&) const = default;

 private:
  static uint16_t FromFloat(float f) {
    uint32_t u = std::bit_cast<uint32_t>(f);
    const uint16_t sign = static_cast<uint16_t>((u >> 16) & 0x8000u);
    u &= 0x7FFFFFFFu;
    if (u > 0x7F800000u) return sign | 0x7E00u;
    if (u >= 0x477FF000u) return sign | 0x7C00u;
    if (u < 0x38800000u) {
      const float shifted = std::bit_cast<float>(u) + 0.5f;
      return sign | static_cast<uint16_t>(std::bit_cast<uint32_t>(shifted) - 0x3F000000u);
    }
    return sign | static_cast<uint16_t>((u - 0x38000000u + 0xFFFu + ((u >> 13) & 1u)) >> 13);
  }
};

// A BFloat16 is the upper half of a float, stored as bits. Conversions round to nearest even.
struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float f) : bits(FromFloat(f)) {}
  static constexpr BFloat16 FromBits(uint16_t b) {
    BFloat16 h;
    h.bits = b;
    return h;
  }
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
  bool operator==(const BFloat16&) const = default;

 private:
  static uint16_t FromFloat(float f) {
    const uint32_t u = std::bit_cast<uint32_t>(f);
    if ((u & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<uint16_t>((u >> 16) | 0x40u);
    return static_cast<uint16_t>((u + 0x7FFFu + ((u >> 16) & 1u)) >> 16);
  }
};

}  // namespace ramet
