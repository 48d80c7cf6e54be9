#include "ramet/backends/gpu/library/convolution_library.h"

#include <algorithm>

#include "ramet/backends/gpu/driver/cuda/cuda_driver.h"

namespace ramet::gpu {
namespace {

int64_t PadAfter(const linalg::ConvGeometry& g, int d) {
  const int64_t window = g.dilation[d] * (g.filter[d] - 1) + 1;
  const int64_t left = g.in[d] + 2 * g.pad[d] - window;
  if (left >= 0 && left / g.stride[d] + 1 == g.out[d]) return g.pad[d];
  const int64_t needed = (g.out[d] - 1) * g.stride[d] + window;
  return std::max<int64_t>(0, needed - g.in[d] - g.pad[d]);
}

}  // namespace

LibraryConvolution DescribeConvolution(ConvPart part, DType dtype, const linalg::ConvGeometry& g,
                                       bool deterministic) {
  return {part, dtype, g, {PadAfter(g, 0), PadAfter(g, 1), PadAfter(g, 2)}, deterministic};
}

bool HasUnevenPadding(const LibraryConvolution& c) {
  return !std::equal(c.pad_after.begin(), c.pad_after.end(), c.geometry.pad);
}

ConvolutionParameters ParametersOf(const LibraryConvolution& c, size_t workspace_bytes) {
  const linalg::ConvGeometry& g = c.geometry;
  ConvolutionParameters p = {static_cast<int64_t>(c.part),
                             static_cast<int64_t>(c.dtype),
                             c.deterministic,
                             g.batch,
                             g.in_channels,
                             g.out_channels,
                             g.groups,
                             g.channels_first};
  auto* next = p.begin() + 8;
  for (const auto* sizes :
       {g.in, g.filter, g.out, g.stride, g.dilation, g.pad, c.pad_after.data()}) {
    next = std::copy_n(sizes, 3, next);
  }
  *next = static_cast<int64_t>(workspace_bytes);
  return p;
}

LibraryConvolution ConvolutionOf(std::span<const int64_t> parameters) {
  LibraryConvolution c = {static_cast<ConvPart>(parameters[0]),
                          static_cast<DType>(parameters[1]),
                          {},
                          {},
                          parameters[2] != 0};
  linalg::ConvGeometry& g = c.geometry;
  g.batch = parameters[3];
  g.in_channels = parameters[4];
  g.out_channels = parameters[5];
  g.groups = parameters[6];
  g.channels_first = parameters[7] != 0;
  const int64_t* next = &parameters[8];
  for (auto* sizes : {g.in, g.filter, g.out, g.stride, g.dilation, g.pad, c.pad_after.data()}) {
    std::copy_n(next, 3, sizes);
    next += 3;
  }
  return c;
}

std::unique_ptr<ConvolutionLibrary> OpenConvolutionLibrary(DriverDevice& device,
                                                           DriverQueue& queue) {
  if (device.info().language != Language::kCudaCpp) return nullptr;
  return OpenCudnn(device, queue, cuda::Libraries::Default().convolutions);
}

}  // namespace ramet::gpu
