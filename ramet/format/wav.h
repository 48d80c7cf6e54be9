#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ramet/base/status.h"

namespace ramet {

// Sound in memory: frames with one sample per channel. Samples are in [-1, 1].
struct Sound {
  const float* samples;
  int64_t frames, channels;
  int64_t size() const { return frames * channels; }
};

// Returns the sound as a WAV file with 16 bits per sample. Samples are rounded and clamped; NaN
// becomes 0. `rate` is in Hertz.
// \error kInvalidArgument: the rate is not in (0, 2^32), the number of channels is not in (0, 2^16),
//   or the file would have 2^32 or more bytes.
StatusOr<std::string> EncodeWav(const Sound& sound, uint64_t rate);

// A WavFile is a view of the samples in a WAV file with 16 bits per sample.
struct WavFile {
  uint32_t rate = 0;  // in Hertz
  int64_t frames = 0, channels = 0;
  std::string_view data;

  // Returns sample i = frame * channels + channel, in [-1, 1).
  float Sample(int64_t i) const;
};

// Reads the headers of a WAV file. The result refers to `file`.
// \error kInvalidArgument: the file is damaged or is not a WAV file with 16 bits per sample. The
//   messages are TensorFlow's.
StatusOr<WavFile> ParseWav(std::string_view file);

}  // namespace ramet
