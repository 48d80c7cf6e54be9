#include "ramet/format/wav.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "ramet/op/op.h"

// DecodeWav and EncodeWav.

namespace ramet {
namespace {

// An attr of DecodeWav; -1 stands for the number in the file.
StatusOr<int64_t> Desired(const AttrMap& attrs, const char* attr, const char* what) {
  RAMET_ASSIGN_OR_RETURN(const int64_t n, attrs.Get<int64_t>(attr));
  if (n < -1) return InvalidArgument(what, " must be non-negative, got ", n);
  return n;
}
StatusOr<int64_t> DesiredChannels(const AttrMap& attrs) {
  return Desired(attrs, "desired_channels", "channels");
}
StatusOr<int64_t> DesiredSamples(const AttrMap& attrs) {
  return Desired(attrs, "desired_samples", "samples");
}

Status DecodeWavShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  RAMET_ASSIGN_OR_RETURN(const int64_t channels, DesiredChannels(c.attrs()));
  RAMET_ASSIGN_OR_RETURN(const int64_t samples, DesiredSamples(c.attrs()));
  c.set_output(0, Shape{samples, channels});
  c.set_output(1, Shape());
  return OkStatus();
}

class DecodeWavKernel final : public Kernel {
 public:
  DecodeWavKernel(int64_t channels, int64_t frames) : channels_(channels), frames_(frames) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const int64_t channels, DesiredChannels(*node.attrs));
    RAMET_ASSIGN_OR_RETURN(const int64_t samples, DesiredSamples(*node.attrs));
    return std::unique_ptr<Kernel>(std::make_unique<DecodeWavKernel>(channels, samples));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& contents = c.input(0);
    if (contents.rank() != 0) {
      return InvalidArgument("contents must be scalar, got shape ", contents.shape());
    }
    const std::string& file = contents.scalar<std::string>();
    if (file.size() > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("WAV contents are too large for int: ", file.size());
    }
    RAMET_ASSIGN_OR_RETURN(const WavFile wav, ParseWav(file));
    const Shape shape{frames_ < 0 ? wav.frames : frames_, channels_ < 0 ? wav.channels : channels_};
    RAMET_ASSIGN_OR_RETURN(Tensor * audio, c.Allocate(0, kFloat, shape));
    Copy(wav, *audio);
    RAMET_ASSIGN_OR_RETURN(Tensor * rate, c.Allocate(1, kInt32, Shape()));
    *rate->mutable_data<int32_t>() = static_cast<int32_t>(wav.rate);
    return OkStatus();
  }

 private:
  // Missing frames are silent; missing channels repeat the last one.
  static void Copy(const WavFile& wav, Tensor& audio) {
    float* out = audio.mutable_data<float>();
    const int64_t channels = audio.dim(1), frames = std::min(audio.dim(0), wav.frames);
    for (int64_t frame = 0; frame < frames && channels > 0; ++frame) {
      for (int64_t channel = 0; channel < channels; ++channel) {
        *out++ = wav.Sample(frame * wav.channels + std::min(channel, wav.channels - 1));
      }
    }
    std::fill(out, audio.mutable_data<float>() + audio.num_elements(), 0.0f);
  }

  const int64_t channels_, frames_;
};

Status Encode(KernelContext& c) {
  const Tensor &audio = c.input(0), &rate = c.input(1);
  if (audio.rank() != 2) return InvalidArgument("audio must be 2-dimensional", audio.shape());
  if (rate.rank() != 0) {
    return InvalidArgument("Input sample_rate should be a scalar tensor, got ", rate.shape(),
                           " instead.");
  }
  if (audio.num_elements() >= std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("Cannot encode audio with >= 2^31 - 1 elements");
  }
  // A negative rate is out of range as an unsigned number, too.
  const auto hertz = static_cast<uint64_t>(int64_t{rate.scalar<int32_t>()});
  RAMET_ASSIGN_OR_RETURN(std::string wav,
                         EncodeWav({audio.data<float>(), audio.dim(0), audio.dim(1)}, hertz));
  RAMET_ASSIGN_OR_RETURN(Tensor * contents, c.Allocate(0, kString, Shape()));
  *contents->mutable_data<std::string>() = std::move(wav);
  return OkStatus();
}

Status EncodeWavShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 2).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  c.set_output(0, Shape());
  return OkStatus();
}

RAMET_OP("DecodeWav")
    .Input("contents: string")
    .Output("audio: float")
    .Output("sample_rate: int32")
    .Attr("desired_channels: int = -1")
    .Attr("desired_samples: int = -1")
    .Doc(
        "Returns the samples, [frames, channels] in [-1, 1), and the rate in Hertz of a WAV file "
        "with 16 bits per sample. desired_samples frames are returned, with zeros after the end of "
        "the file, or all if it is -1. desired_channels channels are returned, with copies of the "
        "last one, or all if it is -1. Error: `contents` is not a scalar or not such a file.")
    .HostMemory({"contents", "audio", "sample_rate"})
    .Shape(DecodeWavShape)
    .CpuKernelClass<DecodeWavKernel>();

RAMET_OP("EncodeWav")
    .Input("audio: float")
    .Input("sample_rate: int32")
    .Output("contents: string")
    .Doc(
        "Returns the samples, [frames, channels] in [-1, 1], as a WAV file with 16 bits per "
        "sample. sample_rate is in Hertz. Error: the rank of `audio` is not 2; sample_rate is not "
        "a positive scalar; the number of channels is not in (0, 2^16); the file would be larger "
        "than 4 GiB.")
    .HostMemory({"audio", "sample_rate", "contents"})
    .Shape(EncodeWavShape)
    .CpuKernel(Encode);

}  // namespace
}  // namespace ramet
