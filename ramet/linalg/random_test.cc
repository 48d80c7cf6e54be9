#include "ramet/linalg/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "ramet/linalg/test_util.h"

namespace ramet::linalg {
namespace {

using ::testing::ElementsAre;

enum class SampleKind { kUniform, kNormal, kTruncatedNormal };

struct Golden {
  SampleKind kind;
  Type type;
  // The bits of the first values.
  std::vector<uint64_t> first;
  // The FNV-1a hash of the bytes of 3001 values.
  uint64_t hash;
};

// TensorFlow 2.21's RandomUniform, RandomStandardNormal and TruncatedNormal on CPU with shape
// [3001], seed 87654321 and seed2 12345678901.
const Golden kGolden[] = {
    {SampleKind::kUniform,
     Type::kFloat,
     {0x3f19c4f0, 0x3df35620, 0x3e782408, 0x3f417744, 0x3d24d9e0},
     0x8922463970d4a377ull},
    {SampleKind::kUniform,
     Type::kDouble,
     {0x3fe9c4f1121e6ac4, 0x3fee0903e0c17744, 0x3fd49b3c972ac92c, 0x3fe3886f5801b692,
      0x3fe0078c2d77665e},
     0x10b0ef5208a32ac3ull},
    {SampleKind::kUniform,
     Type::kHalf,
     {0x38f0, 0x3588, 0x3008, 0x3b44, 0x399e},
     0xee5497a92a3326baull},
    {SampleKind::kUniform,
     Type::kBfloat16,
     {0x3f70, 0x3f44, 0x3c00, 0x3e88, 0x3f1e},
     0x30d6416af76722dull},
    {SampleKind::kNormal,
     Type::kFloat,
     {0x3f2f88b9, 0x3f3dbb79, 0xbfd760cf, 0x3d7812c6, 0xbfa2a415},
     0x1fc9aa09b3643b19ull},
    {SampleKind::kNormal,
     Type::kDouble,
     {0xbfcfb28b78581d6b, 0x3fe382f8b409be46, 0xbfeecd943d1ca6af, 0xbff2856abc268fe3,
      0x3fecea4d8e3e2cf5},
     0x22f8adf01ee524e5ull},
    {SampleKind::kNormal,
     Type::kHalf,
     {0x397c, 0x39ee, 0xbebb, 0x2bc1, 0xbd15},
     0xe09344c520639dfcull},
    {SampleKind::kNormal,
     Type::kBfloat16,
     {0x3f30, 0x3f3e, 0xbfd7, 0x3d78, 0xbfa3},
     0x8cd2320caef030e8ull},
    {SampleKind::kTruncatedNormal,
     Type::kFloat,
     {0x3f2f88b9, 0x3f3dbb79, 0xbfd760cf, 0x3d7812c6, 0x3fb9076c},
     0xdc935ce2823b31bbull},
    {SampleKind::kTruncatedNormal,
     Type::kDouble,
     {0xbfcfb28b78581d6b, 0x3fe382f8b409be46, 0x3fe617efb045daf5, 0x3ff0719fc8654570,
      0xbff14f92daa430f4},
     0x2e4c8342f8bf4dc7ull},
    {SampleKind::kTruncatedNormal,
     Type::kHalf,
     {0x397c, 0x39ee, 0xbebb, 0x2bc1, 0x3dc8},
     0x8b429fb7311dc7d9ull},
    {SampleKind::kTruncatedNormal,
     Type::kBfloat16,
     {0x3f30, 0x3f3e, 0xbfd7, 0x3d78, 0x3fb9},
     0x26bee5ab8dd9fb3eull},
};

std::vector<uint8_t> RandomBytes(SampleKind kind, Type type, const Philox& generator, int64_t n) {
  std::vector<uint8_t> y(n * TypeSize(type));
  switch (kind) {
    case SampleKind::kUniform: FillUniform(type, generator, y.data(), n); break;
    case SampleKind::kNormal: FillNormal(type, generator, y.data(), n); break;
    case SampleKind::kTruncatedNormal: FillTruncatedNormal(type, generator, y.data(), n); break;
  }
  return y;
}

uint64_t Fnv1a(const std::vector<uint8_t>& bytes) {
  uint64_t hash = 14695981039346656037ull;
  for (const uint8_t b : bytes) hash = (hash ^ b) * 1099511628211ull;
  return hash;
}

TEST(Random, HasTensorFlowsBits) {
  const Philox generator(87654321, 12345678901);
  for (const Golden& golden : kGolden) {
    const std::vector<uint8_t> y = RandomBytes(golden.kind, golden.type, generator, 3001);
    const int64_t size = TypeSize(golden.type);
    for (size_t i = 0; i < golden.first.size(); ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, y.data() + i * size, size);
      EXPECT_EQ(bits, golden.first[i]) << static_cast<int>(golden.type) << " " << i;
    }
    EXPECT_EQ(Fnv1a(y), golden.hash)
        << static_cast<int>(golden.kind) << " " << static_cast<int>(golden.type);
  }
}

TEST(Random, SameForAnyThreadsAndPrefix) {
  for (const Golden& golden : kGolden) {
    const auto run = [&] { return RandomBytes(golden.kind, golden.type, Philox(1, 2), 20011); };
    EXPECT_TRUE(SameForAnyThreads(run));
    std::vector<uint8_t> longer = run();
    const std::vector<uint8_t> shorter = RandomBytes(golden.kind, golden.type, Philox(1, 2), 1001);
    longer.resize(shorter.size());
    EXPECT_EQ(longer, shorter);
  }
}

TEST(Random, Integers) {
  std::vector<int32_t> y(7);
  FillUniformInt(Type::kInt32, Philox(3, 4), -5, 100, y.data(), 7);
  EXPECT_THAT(y, ElementsAre(31, 5, 6, 84, 44, 80, 38));
  std::vector<int64_t> z(5);
  FillUniformInt(Type::kInt64, Philox(3, 4), -(int64_t{1} << 40), int64_t{1} << 41, z.data(), 5);
  EXPECT_THAT(
      z, ElementsAre(1393565252865, -987649974639, -563609268113, 1828465792713, -45339298871));
}

TEST(Random, IntegersOverTheWholeRange) {
  std::vector<int64_t> y(1000);
  const int64_t lowest = std::numeric_limits<int64_t>::min();
  const int64_t highest = std::numeric_limits<int64_t>::max();
  FillUniformInt(Type::kInt64, Philox(3, 4), lowest, highest, y.data(), 1000);
  EXPECT_LT(*std::min_element(y.begin(), y.end()), lowest / 2);
  EXPECT_GT(*std::max_element(y.begin(), y.end()), highest / 2);
}

TEST(Random, Shuffle) {
  Philox generator(3, 4);
  std::vector<int32_t> y(10);
  FillShuffle(Type::kInt32, &generator, y.data(), 10);
  EXPECT_THAT(y, ElementsAre(1, 5, 3, 8, 0, 4, 7, 6, 9, 2));
  EXPECT_EQ(generator.counter()[0], 3u);
  Philox untouched(3, 4);
  FillShuffle(Type::kInt32, &untouched, y.data(), 1);
  EXPECT_EQ(untouched.counter()[0], 0u);
}

TEST(Philox, SkipCarries) {
  Philox generator(Philox::Words{~0u, ~0u, ~0u, 5}, {1, 2});
  generator.Skip(1);
  EXPECT_THAT(generator.counter(), ElementsAre(0u, 0u, 0u, 6u));
  generator.Skip(uint64_t{1} << 32);
  EXPECT_THAT(generator.counter(), ElementsAre(0u, 1u, 0u, 6u));
}

// The known-answer test of the authors' Random123 library.
TEST(Philox, KnownAnswer) {
  Philox generator(Philox::Words{0, 0, 0, 0}, {0, 0});
  EXPECT_THAT(generator(), ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
}

TEST(Random, Empty) { FillNormal(Type::kFloat, Philox(1, 2), nullptr, 0); }

}  // namespace
}  // namespace ramet::linalg
