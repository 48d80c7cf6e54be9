#include "ramet/base/crc32c.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ramet {
namespace {

std::vector<uint8_t> SomeBytes(size_t n) {
  std::vector<uint8_t> bytes(n);
  uint32_t state = 12345;
  for (uint8_t& b : bytes) b = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

uint32_t BitByBit(const uint8_t* p, size_t n) {
  uint32_t crc = 0xFFFFFFFF;
  for (size_t i = 0; i < n; ++i) {
    crc ^= p[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82F63B78u : 0);
  }
  return ~crc;
}

TEST(Crc32c, KnownValues) {
  EXPECT_EQ(crc32c::Value("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c::Value(""), 0u);
  EXPECT_EQ(crc32c::Value(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c::Value(std::string(32, '\xFF')), 0x62A8AB43u);
}

TEST(Crc32c, MaskRoundTrips) {
  EXPECT_EQ(crc32c::Mask(0), 0xA282EAD8u);
  EXPECT_EQ(crc32c::Mask(0xE3069283u), 0xC78AB0E5u);
  for (uint32_t crc : {0u, 1u, 0xE3069283u, 0xFFFFFFFFu}) {
    EXPECT_EQ(crc32c::Unmask(crc32c::Mask(crc)), crc);
  }
}

TEST(Crc32c, EveryLengthAndAlignmentAgreesWithTheDefinition) {
  std::vector<uint8_t> bytes = SomeBytes(30000);
  for (size_t n : {0, 1, 7, 8, 9, 255, 767, 768, 769, 1536, 12287, 12288, 12289, 13057, 29990}) {
    for (size_t begin : {0, 1, 3, 8}) {
      const uint8_t* p = bytes.data() + begin;
      uint32_t want = BitByBit(p, n);
      EXPECT_EQ(crc32c::internal::ExtendPortable(0, p, n), want) << n << " at " << begin;
      EXPECT_EQ(crc32c::Value(p, n), want) << n << " at " << begin;
      if (crc32c::internal::HasHardware()) {
        EXPECT_EQ(crc32c::internal::ExtendHardware(0, p, n), want) << n << " at " << begin;
      }
    }
  }
}

TEST(Crc32c, ExtendContinues) {
  std::vector<uint8_t> bytes = SomeBytes(20000);
  uint32_t whole = crc32c::Value(bytes.data(), bytes.size());
  for (size_t cut : {0, 1, 100, 12288, 19999, 20000}) {
    uint32_t head = crc32c::Value(bytes.data(), cut);
    EXPECT_EQ(crc32c::Extend(head, bytes.data() + cut, bytes.size() - cut), whole) << cut;
  }
}

TEST(Crc32cTest, ConcatJoinsPieces) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += static_cast<char>(i * 31 + i / 7);
  for (size_t cut : {0, 1, 7, 4096, 4999, 5000}) {
    const uint32_t a = crc32c::Value(text.substr(0, cut)), b = crc32c::Value(text.substr(cut));
    EXPECT_EQ(crc32c::Concat(a, b, text.size() - cut), crc32c::Value(text)) << cut;
  }
}

}  // namespace
}  // namespace ramet
