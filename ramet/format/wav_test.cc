#include "ramet/format/wav.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace ramet {
namespace {

TEST(WavTest, SamplesAreRoundedAndClamped) {
  const std::vector<float> samples = {0.5f, -1, 1, 3, -3, std::nanf(""), 0.00001f, -0.25f};
  const StatusOr<std::string> file = EncodeWav({samples.data(), 4, 2}, 44100);
  ASSERT_TRUE(file.ok()) << file.status();
  const StatusOr<WavFile> wav = ParseWav(*file);
  ASSERT_TRUE(wav.ok()) << wav.status();
  EXPECT_EQ(wav->rate, 44100u);
  EXPECT_EQ(wav->frames, 4);
  EXPECT_EQ(wav->channels, 2);
  const float most = 32767.0f / 32768.0f;
  const std::vector<float> expected = {0.5f, -1, most, most, -1, 0, 0, -0.25f};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(wav->Sample(static_cast<int64_t>(i)), expected[i]) << i;
  }
}

TEST(WavTest, SoundsThatDoNotFit) {
  EXPECT_EQ(EncodeWav({nullptr, 1 << 30, 2}, 1).status().message(),
            "Provided channels and frames cannot be encoded as a WAV.");
  EXPECT_FALSE(EncodeWav({nullptr, 0, 1 << 16}, 1).ok());
  EXPECT_FALSE(EncodeWav({nullptr, 0, 1}, uint64_t{1} << 32).ok());
  EXPECT_TRUE(EncodeWav({nullptr, 0, 1}, std::numeric_limits<uint32_t>::max()).ok());
}

TEST(WavTest, EveryPrefixOfAFileIsDamaged) {
  const std::vector<float> samples(6, 0.5f);
  const std::string file = *EncodeWav({samples.data(), 3, 2}, 8000);
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(ParseWav(std::string_view(file).substr(0, size)).ok()) << size;
  }
  EXPECT_TRUE(ParseWav(file).ok());
}

}  // namespace
}  // namespace ramet
