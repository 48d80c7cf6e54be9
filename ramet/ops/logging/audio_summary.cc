#include <algorithm>
#include <cmath>
#include <limits>

#include "ramet/format/wav.h"
#include "ramet/op/op.h"
#include "ramet/ops/logging/summary_op.h"
#include "ramet/ops/logging/summary_proto.h"

namespace ramet {
namespace {

StatusOr<std::string> AudioMessage(const Sound& sound, float sample_rate) {
  if (sound.frames > 0 && sound.channels == 0) return InvalidArgument("audio is null");
  if (!(sample_rate > 0 && sample_rate < 4294967296.0f)) {
    return InvalidArgument("sample_rate must be in (0, 2^32), got: ", sample_rate);
  }
  const auto rate = static_cast<uint64_t>(std::max(1.0f, std::rint(sample_rate)));
  RAMET_ASSIGN_OR_RETURN(const std::string wav, EncodeWav(sound, rate));
  std::string message;
  AppendFloat(&message, 1, sample_rate);
  AppendNonZero(&message, 2, static_cast<uint64_t>(sound.channels));
  AppendNonZero(&message, 3, static_cast<uint64_t>(sound.frames));
  AppendBytesField(&message, 4, wav);
  AppendBytesField(&message, 5, "audio/wav");
  return message;
}

constexpr int64_t kMinWavBytes = 44;

Status SummarizeAudio(KernelContext& c, int64_t max_outputs, float sample_rate) {
  const Tensor& tag = c.input(0);
  const Tensor& sounds = c.input(1);
  if (tag.rank() != 0) return InvalidArgument("Tag must be a scalar");
  if (sounds.rank() != 2 && sounds.rank() != 3) {
    return InvalidArgument("Tensor must be 3-D or 2-D, got: ", sounds.shape());
  }
  Sound sound{sounds.data<float>(), sounds.dim(1), sounds.rank() == 3 ? sounds.dim(2) : 1};
  const int64_t outputs = std::min(max_outputs, sounds.dim(0));
  // Even a sound without frames has a header, so their number must be limited.
  if (outputs > std::numeric_limits<int32_t>::max() / kMinWavBytes) {
    return InvalidArgument(outputs,
                           " sounds are too large for a summary (2 GiB): ", sounds.shape());
  }
  std::string summary;
  for (int64_t i = 0; i < outputs; ++i) {
    RAMET_ASSIGN_OR_RETURN(const std::string message, AudioMessage(sound, sample_rate));
    AppendValue(&summary,
                TaggedValue(IndexedTag(tag.scalar<std::string>(), "audio", max_outputs, i),
                            SummaryField::kAudio, message));
    sound.samples += sound.size();
  }
  return SetSummary(c, std::move(summary));
}

class AudioSummaryKernel final : public Kernel {
 public:
  AudioSummaryKernel(int64_t max_outputs, float sample_rate)
      : max_outputs_(max_outputs), sample_rate_(sample_rate) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const float sample_rate, node.attrs->Get<float>("sample_rate"));
    return std::unique_ptr<Kernel>(std::make_unique<AudioSummaryKernel>(
        node.attrs->GetOr("max_outputs", int64_t{3}), sample_rate));
  }

  Status Compute(KernelContext& c) override {
    return SummarizeAudio(c, max_outputs_, sample_rate_);
  }

 private:
  const int64_t max_outputs_;
  const float sample_rate_;
};

class AudioSummaryV2Kernel final : public Kernel {
 public:
  explicit AudioSummaryV2Kernel(int64_t max_outputs) : max_outputs_(max_outputs) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(
        std::make_unique<AudioSummaryV2Kernel>(node.attrs->GetOr("max_outputs", int64_t{3})));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& rate = c.input(2);
    if (rate.num_elements() != 1) {
      return InvalidArgument("sample_rate must be rank-0 or contain a single value");
    }
    if (!(rate.data<float>()[0] > 0)) return InvalidArgument("sample_rate must be > 0");
    return SummarizeAudio(c, max_outputs_, rate.data<float>()[0]);
  }

 private:
  const int64_t max_outputs_;
};

}  // namespace

RAMET_OP("AudioSummary")
    .Input("tag: string")
    .Input("tensor: float")
    .Output("summary: string")
    .Attr("sample_rate: float")
    .Attr("max_outputs: int >= 1 = 3")
    .Doc("Like AudioSummaryV2, which replaces it, but the sample rate is an attr.")
    .HostMemory({"tag", "tensor", "summary"})
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernelClass<AudioSummaryKernel>();

RAMET_OP("AudioSummaryV2")
    .Input("tag: string")
    .Input("tensor: float")
    .Input("sample_rate: float")
    .Output("summary: string")
    .Attr("max_outputs: int >= 1 = 3")
    .Doc(
        "Returns a serialized Summary with the first max_outputs sounds of [batch, frames, "
        "channels] or [batch, frames], whose samples are in [-1, 1], as WAV files with 16 bits per "
        "sample. The tags are 'TAG/audio/0', 'TAG/audio/1', ..., or 'TAG/audio' if max_outputs is "
        "1. sample_rate is in Hertz. Error: the tag is not a scalar; the tensor has a different "
        "rank; sample_rate is not a single positive number; the sounds are too large for WAV or "
        "for a summary.")
    .HostMemory({"tag", "tensor", "sample_rate", "summary"})
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernelClass<AudioSummaryV2Kernel>();

}  // namespace ramet
