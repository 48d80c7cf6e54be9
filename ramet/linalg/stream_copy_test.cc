#include "ramet/linalg/stream_copy.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <vector>

namespace ramet::linalg {
namespace {

struct alignas(16) Line {
  char bytes[16];
};

// Sizes around lines of 64 bytes and vectors of 16 bytes: everything is copied and nothing beyond.
TEST(StreamCopyTest, CopiesWhatItIsGiven) {
  constexpr char kBefore = 'b';
  for (const size_t bytes : {1, 15, 16, 17, 63, 64, 65, 100, 128, 4095, 4096, 4097}) {
    std::vector<char> from(bytes);
    for (size_t i = 0; i < bytes; ++i) from[i] = static_cast<char>(i * 7);
    std::vector<Line> lines(bytes / 16 + 2);
    char* to = lines[0].bytes;
    // Prefetched addresses need not be valid.
    const std::vector<const char*> next(kMaxPrefetched + 1, from.data() + bytes);
    for (size_t count = 0; count <= next.size(); ++count) {
      for (size_t i = 0; i < lines.size() * 16; ++i) to[i] = kBefore;
      StreamCopy(to, from.data(), bytes, std::span(next).first(count));
      StreamFence();
      EXPECT_EQ(std::vector<char>(to, to + bytes), from) << bytes;
      for (size_t i = bytes; i < lines.size() * 16; ++i) ASSERT_EQ(to[i], kBefore) << bytes;
    }
  }
}

}  // namespace
}  // namespace ramet::linalg
