#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "ramet/backends/gpu/ops/families.h"
#include "ramet/linalg/parallel.h"

// Convolutions by libraries of vendors. Filters are copied to and from the order of the library,
// images are padded by a copy if they have more zeros on one side, and copied to another order of
// the dimensions if the library is faster with it.

namespace ramet::gpu {
namespace {

using linalg::ConvGeometry;

// The part of the memory that a workspace may use. TensorFlow's limit is 4 GiB.
constexpr uint64_t kWorkspaceShare = 8;
constexpr uint64_t kMaxWorkspaceBytes = uint64_t{4} << 30;

size_t MaxWorkspaceBytes(GpuDevice& device) {
  const uint64_t share = device.memory_usage().limit / kWorkspaceShare;
  return std::bit_floor(std::min(share, kMaxWorkspaceBytes));
}

// A filter of one element that moves over whole images in steps of one is a matrix.
bool IsProduct(const ConvGeometry& g) {
  bool covers_pixels = true;
  for (int d = 0; d < 3; ++d) {
    covers_pixels &= g.stride[d] == 1 && g.pad[d] == 0 && g.in[d] == g.out[d];
  }
  return covers_pixels && g.groups == 1 && g.taps() == 1 && !g.channels_first;
}

StatusOr<bool> MultiplyPixels(GpuDevice& device, ConvPart part, const ConvGeometry& g,
                              const Tensor& a, const Tensor& b, Tensor& result) {
  const int64_t pixels = g.batch * g.in_pixels();
  const int64_t in = g.in_channels, out = g.out_channels;
  const auto multiply = [&](const StackedProduct& p, const Tensor& x, const Tensor& y) {
    return device.libraries().Multiply(p, x, y, result);
  };
  switch (part) {
    case ConvPart::kForward: return multiply({a.dtype(), pixels, out, in}, a, b);
    case ConvPart::kBackpropInput: return multiply({a.dtype(), pixels, in, out, false, true}, b, a);
    default: return multiply({a.dtype(), in, out, pixels, true, false}, a, b);
  }
}

// Returns memory for a convolution, or a tensor without a shape if no library supports it. Asks for
// less while the memory is full.
// \error kInternal: the device failed.
StatusOr<std::optional<Tensor>> ReserveWorkspace(GpuDevice& device, const LibraryConvolution& c) {
  size_t max_bytes = MaxWorkspaceBytes(device);
  for (;;) {
    const std::optional<size_t> bytes = device.libraries().WorkspaceFor(c, max_bytes);
    if (!bytes) return std::optional<Tensor>();
    // Powers of two, so that convolutions use each other's blocks.
    const auto size = static_cast<int64_t>(std::bit_ceil(std::max<size_t>(*bytes, 1)));
    auto workspace = Temporary(device, kUInt8, Shape{size});
    if (workspace.ok()) return std::optional<Tensor>(*std::move(workspace));
    if (!IsResourceExhausted(workspace.status()) || *bytes == 0) return workspace.status();
    max_bytes = *bytes - 1;
  }
}

// Copies a filter between TensorFlow's order, [spatial..., in, out], and the library's.
Status CopyFilter(GpuDevice& device, const ConvGeometry& g, bool to_library, const Tensor& from,
                  Tensor& to) {
  const int64_t taps = g.taps(), in = g.in_channels / g.groups, out = g.out_channels;
  const std::array<int64_t, 3> dims = {out, taps, in};
  const std::array<int64_t, 3> tensorflow = {1, in * out, out};
  const std::array<int64_t, 3> library = g.channels_first
                                             ? std::array<int64_t, 3>{in * taps, 1, taps}
                                             : std::array<int64_t, 3>{taps * in, in, 1};
  return to_library ? CopyStrided(device, from, 0, tensorflow, to, 0, library, dims)
                    : CopyStrided(device, from, 0, library, to, 0, tensorflow, dims);
}

// Starts a convolution with filters in TensorFlow's order.
StatusOr<bool> Start(GpuDevice& device, const LibraryConvolution& c, const Tensor& a,
                     const Tensor& b, Tensor& result) {
  const ConvGeometry& g = c.geometry;
  RAMET_ASSIGN_OR_RETURN(std::optional<Tensor> workspace, ReserveWorkspace(device, c));
  if (!workspace) return false;
  RAMET_ASSIGN_OR_RETURN(Tensor filter, Temporary(device, c.dtype, Shape{g.filter_elements()}));
  if (c.part == ConvPart::kBackpropFilter) {
    const auto started = device.libraries().Convolve(c, a, b, filter, *workspace);
    if (!started.ok() || !*started) return started;
    RAMET_RETURN_IF_ERROR(CopyFilter(device, g, false, filter, result));
    return true;
  }
  const bool is_forward = c.part == ConvPart::kForward;
  RAMET_RETURN_IF_ERROR(CopyFilter(device, g, true, is_forward ? b : a, filter));
  return is_forward ? device.libraries().Convolve(c, a, filter, result, *workspace)
                    : device.libraries().Convolve(c, filter, b, result, *workspace);
}

// Reports whether the order of the images may be changed. The choice depends on times.
bool MayPutChannelsFirst(const LibraryConvolution& c) {
  const ConvGeometry& g = c.geometry;
  return c.dtype == kFloat && !c.deterministic && !g.channels_first && g.groups == 1;
}

LibraryConvolution WithChannelsFirst(LibraryConvolution c) {
  c.geometry.channels_first = true;
  return c;
}

// Returns about how long copies of both images take.
double SecondsOfCopies(const LibraryConvolution& c) {
  constexpr double kSecondsPerCopy = 4e-6, kBytesPerSecond = 1e12;
  const ConvGeometry& g = c.geometry;
  const auto elements = static_cast<double>(g.in_elements() + g.out_elements());
  return 2 * kSecondsPerCopy + 2 * sizeof(float) * elements / kBytesPerSecond;
}

// An image of the convolution: its input or its output.
struct ImageSizes {
  int64_t batch, pixels, channels;
};

Status PutChannels(GpuDevice& device, const ImageSizes& image, bool first, const Tensor& from,
                   Tensor& to) {
  const auto& [batch, pixels, channels] = image;
  const std::array<int64_t, 3> dims = {batch, pixels, channels};
  const std::array<int64_t, 3> at_the_end = {pixels * channels, channels, 1};
  const std::array<int64_t, 3> at_the_start = {pixels * channels, 1, pixels};
  return first ? CopyStrided(device, from, 0, at_the_end, to, 0, at_the_start, dims)
               : CopyStrided(device, from, 0, at_the_start, to, 0, at_the_end, dims);
}

// Starts a convolution on copies of the images with the channels first.
StatusOr<bool> StartWithChannelsFirst(GpuDevice& device, const LibraryConvolution& c,
                                      const Tensor& a, const Tensor& b, Tensor& result) {
  const ConvGeometry& g = c.geometry;
  const ImageSizes in = {g.batch, g.in_pixels(), g.in_channels};
  const ImageSizes out = {g.batch, g.out_pixels(), g.out_channels};
  const LibraryConvolution turned = WithChannelsFirst(c);
  if (!device.libraries().WorkspaceFor(turned, MaxWorkspaceBytes(device))) return false;
  const auto copied = [&](const ImageSizes& image, const Tensor& x) -> StatusOr<Tensor> {
    RAMET_ASSIGN_OR_RETURN(Tensor copy, Temporary(device, c.dtype, x.shape()));
    RAMET_RETURN_IF_ERROR(PutChannels(device, image, true, x, copy));
    return copy;
  };
  Tensor x = a, y = b, image;
  if (c.part != ConvPart::kBackpropInput) {
    RAMET_ASSIGN_OR_RETURN(x, copied(in, a));
  }
  if (c.part != ConvPart::kForward) {
    RAMET_ASSIGN_OR_RETURN(y, copied(out, b));
  }
  if (c.part == ConvPart::kBackpropFilter) return Start(device, turned, x, y, result);
  RAMET_ASSIGN_OR_RETURN(image, Temporary(device, c.dtype, result.shape()));
  const auto started = Start(device, turned, x, y, image);
  if (!started.ok() || !*started) return started;
  const ImageSizes& made = c.part == ConvPart::kForward ? out : in;
  RAMET_RETURN_IF_ERROR(PutChannels(device, made, false, image, result));
  return true;
}

// Like StartWithChannelsFirst, but returns false if the copies do not fit in memory.
StatusOr<bool> TryChannelsFirst(GpuDevice& device, const LibraryConvolution& c, const Tensor& a,
                                const Tensor& b, Tensor& result) {
  auto started = StartWithChannelsFirst(device, c, a, b, result);
  if (IsResourceExhausted(started.status())) return false;
  return started;
}

// Reports whether the convolution is faster with the channels first. The first call measures both
// orders. If the memory is too full to measure that one, it is not used.
StatusOr<bool> IsFasterWithChannelsFirst(GpuDevice& device, const LibraryConvolution& c,
                                         const Tensor& a, const Tensor& b, Tensor& result) {
  const LibraryConvolution turned = WithChannelsFirst(c);
  if (!device.libraries().SecondsOf(c)) {
    RAMET_RETURN_IF_ERROR(Start(device, c, a, b, result).status());
    RAMET_RETURN_IF_ERROR(TryChannelsFirst(device, c, a, b, result).status());
  }
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  return device.libraries().SecondsOf(turned).value_or(kUnknown) + SecondsOfCopies(c) <
         device.libraries().SecondsOf(c).value_or(kUnknown);
}

// Starts a convolution in the faster order of the images.
StatusOr<bool> StartFaster(GpuDevice& device, const LibraryConvolution& c, const Tensor& a,
                           const Tensor& b, Tensor& result) {
  if (MayPutChannelsFirst(c)) {
    RAMET_ASSIGN_OR_RETURN(const bool turns, IsFasterWithChannelsFirst(device, c, a, b, result));
    RAMET_ASSIGN_OR_RETURN(const bool is_started, turns ? TryChannelsFirst(device, c, a, b, result)
                                                        : StatusOr<bool>(false));
    if (is_started) return true;
  }
  return Start(device, c, a, b, result);
}

// An image with zeros around it, for a convolution with equal padding.
struct PaddedImage {
  ConvGeometry geometry;  // of the convolution of the padded image
  std::array<int64_t, 3> zeros_before;
};

PaddedImage PadOf(const LibraryConvolution& c) {
  PaddedImage padded = {c.geometry, {}};
  for (int d = 0; d < 3; ++d) {
    const auto i = static_cast<size_t>(d);
    const int64_t before = c.geometry.pad[d], after = c.pad_after[i];
    const int64_t equal = std::min(before, after);
    padded.zeros_before[i] = before - equal;
    padded.geometry.pad[d] = equal;
    padded.geometry.in[d] += before + after - 2 * equal;
  }
  return padded;
}

// The steps between elements of an image in memory: [batch, spatial..., channels], or
// [batch, channels, spatial...] if channels_first.
std::array<int64_t, 5> StridesOf(const ConvGeometry& g) {
  const int64_t row = g.in[2], plane = g.in[1] * g.in[2], c = g.in_channels;
  if (g.channels_first) return {c * g.in_pixels(), g.in_pixels(), plane, row, 1};
  return {g.in_pixels() * c, plane * c, row * c, c, 1};
}

std::array<int64_t, 5> DimsOf(const ConvGeometry& g) {
  if (g.channels_first) return {g.batch, g.in_channels, g.in[0], g.in[1], g.in[2]};
  return {g.batch, g.in[0], g.in[1], g.in[2], g.in_channels};
}

// Copies an image into the middle of a padded one, or back.
Status CopyImage(GpuDevice& device, const ConvGeometry& g, const PaddedImage& padded, bool into,
                 const Tensor& from, Tensor& to) {
  const auto dims = DimsOf(g), image = StridesOf(g), around = StridesOf(padded.geometry);
  int64_t offset = 0;
  for (size_t d = 0; d < 3; ++d) {
    offset += padded.zeros_before[d] * around[d + (g.channels_first ? 2 : 1)];
  }
  return into ? CopyStrided(device, from, 0, image, to, offset, around, dims)
              : CopyStrided(device, from, offset, around, to, 0, image, dims);
}

// Pads the image, or the gradient of it, and starts the convolution.
StatusOr<bool> StartPadded(GpuDevice& device, const LibraryConvolution& c, const Tensor& a,
                           const Tensor& b, Tensor& result) {
  const PaddedImage padded = PadOf(c);
  const LibraryConvolution inner =
      DescribeConvolution(c.part, c.dtype, padded.geometry, c.deterministic);
  if (!device.libraries().WorkspaceFor(inner, MaxWorkspaceBytes(device))) return false;
  RAMET_ASSIGN_OR_RETURN(Tensor image,
                         Temporary(device, c.dtype, Shape{padded.geometry.in_elements()}));
  if (c.part == ConvPart::kBackpropInput) {
    const auto started = StartFaster(device, inner, a, b, image);
    if (!started.ok() || !*started) return started;
    RAMET_RETURN_IF_ERROR(CopyImage(device, c.geometry, padded, false, image, result));
    return true;
  }
  RAMET_RETURN_IF_ERROR(SetZeros(device, image));
  RAMET_RETURN_IF_ERROR(CopyImage(device, c.geometry, padded, true, a, image));
  return StartFaster(device, inner, image, b, result);
}

}  // namespace

StatusOr<bool> ConvolveWithLibrary(GpuDevice& device, ConvPart part, const ConvGeometry& g,
                                   const Tensor& a, const Tensor& b, Tensor& result) {
  const auto checked = [&](StatusOr<bool> started) -> StatusOr<bool> {
    if (started.ok()) return started;
    return device.Checked(started.status());
  };
  if (IsProduct(g)) {
    auto started = checked(MultiplyPixels(device, part, g, a, b, result));
    if (!started.ok() || *started) return started;
  }
  const LibraryConvolution c = DescribeConvolution(part, a.dtype(), g, linalg::Deterministic());
  return checked(HasUnevenPadding(c) ? StartPadded(device, c, a, b, result)
                                     : StartFaster(device, c, a, b, result));
}

}  // namespace ramet::gpu
