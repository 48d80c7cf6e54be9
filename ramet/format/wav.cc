#include "ramet/format/wav.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ramet/base/coding.h"

namespace ramet {
namespace {

constexpr uint32_t kWavFormatBytes = 16, kLongWavFormatBytes = 18, kWavSampleBytes = 2;
// The bytes of a file before the samples. The size in the header excludes the first 8.
constexpr int64_t kWavHeaderBytes = 44, kUncountedWavBytes = 8;
constexpr float kSampleScale = 32768.0f;

void AppendFixed16(std::string* out, uint16_t value) {
  out->push_back(static_cast<char>(value));
  out->push_back(static_cast<char>(value >> 8));
}

uint16_t EncodedSample(float x) {
  if (std::isnan(x)) return 0;
  return static_cast<uint16_t>(
      static_cast<int>(std::clamp(std::round(x * kSampleScale), -kSampleScale, kSampleScale - 1)));
}

Status CheckSound(const Sound& sound, uint64_t rate) {
  if (rate == 0 || rate > std::numeric_limits<uint32_t>::max()) {
    return InvalidArgument("sample_rate must be in (0, 2^32), got: ", rate);
  }
  if (sound.channels <= 0 || sound.channels > 0xFFFF) {
    return InvalidArgument("num_channels must be in (0, 2^16), got: ", sound.channels);
  }
  if (sound.size() > (std::numeric_limits<uint32_t>::max() - kWavHeaderBytes) / kWavSampleBytes) {
    return InvalidArgument("Provided channels and frames cannot be encoded as a WAV.");
  }
  return OkStatus();
}

Status WavTooShort() { return InvalidArgument("Data too short when trying to read string"); }

// A WavReader takes little-endian values from the front of a file.
class WavReader {
 public:
  explicit WavReader(std::string_view bytes) : bytes_(bytes) {}

  bool done() const { return bytes_.empty(); }
  StatusOr<std::string_view> Take(uint64_t size) {
    if (size > bytes_.size()) return WavTooShort();
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  void Skip(uint64_t size) { bytes_.remove_prefix(std::min<uint64_t>(size, bytes_.size())); }
  StatusOr<uint32_t> Fixed32() {
    RAMET_ASSIGN_OR_RETURN(const std::string_view bytes, Take(4));
    return DecodeFixed32(bytes.data());
  }
  StatusOr<uint32_t> Fixed16() {
    RAMET_ASSIGN_OR_RETURN(const std::string_view bytes, Take(2));
    return uint32_t{static_cast<uint8_t>(bytes[0])} | uint32_t{static_cast<uint8_t>(bytes[1])} << 8;
  }
  Status Expect(std::string_view text) {
    RAMET_ASSIGN_OR_RETURN(const std::string_view found, Take(text.size()));
    if (found == text) return OkStatus();
    return InvalidArgument("Header mismatch: Expected ", text, " but found ", found);
  }

 private:
  std::string_view bytes_;
};

// Reads up to the chunk that describes the format. Some recorders write others before it.
Status FindFormat(WavReader& reader) {
  RAMET_RETURN_IF_ERROR(reader.Expect("RIFF"));
  RAMET_RETURN_IF_ERROR(reader.Fixed32().status());
  RAMET_RETURN_IF_ERROR(reader.Expect("WAVE"));
  for (;;) {
    RAMET_ASSIGN_OR_RETURN(const std::string_view name, reader.Take(4));
    if (name == "fmt ") return OkStatus();
    constexpr std::string_view kSkipped[] = {"JUNK", "bext", "iXML", "qlty",
                                             "mext", "levl", "link", "axml"};
    if (std::ranges::find(kSkipped, name) == std::end(kSkipped)) {
      return InvalidArgument("Unexpected field ", name);
    }
    RAMET_ASSIGN_OR_RETURN(const uint32_t size, reader.Fixed32());
    RAMET_RETURN_IF_ERROR(reader.Take(size).status());
  }
}

// The messages lack spaces where TensorFlow's do.
Status ReadFormat(WavReader& reader, WavFile* wav) {
  RAMET_ASSIGN_OR_RETURN(const uint32_t bytes, reader.Fixed32());
  if (bytes != kWavFormatBytes && bytes != kLongWavFormatBytes) {
    return InvalidArgument("Bad format chunk size for WAV: Expected 16 or 18, but got", bytes);
  }
  RAMET_ASSIGN_OR_RETURN(const uint32_t format, reader.Fixed16());
  if (format != 1) {
    return InvalidArgument("Bad audio format for WAV: Expected 1 (PCM), but got", format);
  }
  RAMET_ASSIGN_OR_RETURN(wav->channels, reader.Fixed16());
  if (wav->channels < 1) {
    return InvalidArgument("Bad number of channels for WAV: Expected at least 1, but got ",
                           wav->channels);
  }
  RAMET_ASSIGN_OR_RETURN(wav->rate, reader.Fixed32());
  RAMET_ASSIGN_OR_RETURN(const uint32_t bytes_per_second, reader.Fixed32());
  RAMET_ASSIGN_OR_RETURN(const uint32_t frame_bytes, reader.Fixed16());
  RAMET_ASSIGN_OR_RETURN(const uint32_t bits, reader.Fixed16());
  if (bits != 8 * kWavSampleBytes) {
    return InvalidArgument("Can only read 16-bit WAV files, but received ", bits);
  }
  if (frame_bytes != kWavSampleBytes * wav->channels) {
    return InvalidArgument("Bad bytes per sample in WAV header: Expected ",
                           kWavSampleBytes * wav->channels, " but got ", frame_bytes);
  }
  const uint64_t expected = uint64_t{frame_bytes} * wav->rate;
  if (bytes_per_second != expected) {
    return InvalidArgument("Bad bytes per second in WAV header: Expected ", expected, " but got ",
                           bytes_per_second, " (sample_rate=", wav->rate,
                           ", bytes_per_sample=", frame_bytes, ")");
  }
  if (bytes == kLongWavFormatBytes) reader.Skip(kLongWavFormatBytes - kWavFormatBytes);
  return OkStatus();
}

// Reads the chunks after the format.
Status FindData(WavReader& reader, WavFile* wav) {
  bool found = false;
  while (!reader.done()) {
    RAMET_ASSIGN_OR_RETURN(const std::string_view name, reader.Take(4));
    RAMET_ASSIGN_OR_RETURN(const uint32_t bytes, reader.Fixed32());
    constexpr uint32_t kMaxBytes = std::numeric_limits<int32_t>::max();
    if (bytes > kMaxBytes) {
      return InvalidArgument("WAV data chunk '", name, "' is too large: ", bytes,
                             " bytes, but the limit is ", kMaxBytes);
    }
    if (name != "data") {
      reader.Skip(bytes);
      continue;
    }
    if (found) return InvalidArgument("More than one data chunk found in WAV");
    found = true;
    const int64_t frame_bytes = kWavSampleBytes * wav->channels;
    wav->frames = bytes / frame_bytes;
    RAMET_ASSIGN_OR_RETURN(wav->data,
                           reader.Take(static_cast<uint64_t>(wav->frames * frame_bytes)));
  }
  return found ? OkStatus() : InvalidArgument("No data chunk found in WAV");
}

}  // namespace

StatusOr<std::string> EncodeWav(const Sound& sound, uint64_t rate) {
  RAMET_RETURN_IF_ERROR(CheckSound(sound, rate));
  const auto data_bytes = static_cast<uint32_t>(sound.size() * kWavSampleBytes);
  const auto frame_bytes = static_cast<uint32_t>(sound.channels * kWavSampleBytes);
  const auto frames_per_second = static_cast<uint32_t>(rate);
  std::string wav = "RIFF";
  wav.reserve(kWavHeaderBytes + data_bytes);
  AppendFixed32(&wav, static_cast<uint32_t>(kWavHeaderBytes - kUncountedWavBytes) + data_bytes);
  wav += "WAVEfmt ";
  AppendFixed32(&wav, kWavFormatBytes);
  AppendFixed16(&wav, 1);
  AppendFixed16(&wav, static_cast<uint16_t>(sound.channels));
  AppendFixed32(&wav, frames_per_second);
  AppendFixed32(&wav, frames_per_second * frame_bytes);
  AppendFixed16(&wav, static_cast<uint16_t>(frame_bytes));
  AppendFixed16(&wav, 8 * kWavSampleBytes);
  wav += "data";
  AppendFixed32(&wav, data_bytes);
  for (int64_t i = 0; i < sound.size(); ++i) AppendFixed16(&wav, EncodedSample(sound.samples[i]));
  return wav;
}

float WavFile::Sample(int64_t i) const {
  const auto* const p = reinterpret_cast<const uint8_t*>(data.data()) + kWavSampleBytes * i;
  return static_cast<float>(static_cast<int16_t>(p[0] | p[1] << 8)) / kSampleScale;
}

StatusOr<WavFile> ParseWav(std::string_view file) {
  WavReader reader(file);
  WavFile wav;
  RAMET_RETURN_IF_ERROR(FindFormat(reader));
  RAMET_RETURN_IF_ERROR(ReadFormat(reader, &wav));
  RAMET_RETURN_IF_ERROR(FindData(reader, &wav));
  return wav;
}

}  // namespace ramet
