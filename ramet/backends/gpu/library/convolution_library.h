#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/op/tensor_math.h"
#include "ramet/tensor/dtype.h"

// Libraries of vendors that compute convolutions: cuDNN. They are opened at run time.
namespace ramet::gpu {

// A LibraryConvolution describes a convolution, or a gradient of one, of dense tensors. Images are
// in the order of the geometry. Filters are [out, spatial..., in / groups], or
// [out, in / groups, spatial...] if geometry.channels_first.
struct LibraryConvolution {
  ConvPart part;
  DType dtype;
  linalg::ConvGeometry geometry;
  std::array<int64_t, 3> pad_after;  // zeros after the last element; geometry.pad is before
  bool deterministic;                // the same bits in each run
};

// Returns a convolution with the fewest zeros after the images that the geometry needs. They equal
// those before where this does not change the result, since libraries are fast for equal padding.
LibraryConvolution DescribeConvolution(ConvPart part, DType dtype, const linalg::ConvGeometry& g,
                                       bool deterministic);
// Reports whether an image has more zeros on one side than on the other.
bool HasUnevenPadding(const LibraryConvolution& c);

// A ConvolutionLibrary computes convolutions on queues of one device. Blocks are those of
// (x, filter, y), (filter, dy, dx) or (x, dy, dfilter), and of the workspace. Thread-safe.
class ConvolutionLibrary : public LibraryCall {
 public:
  // Returns how many bytes of workspace, at most `max_bytes`, a convolution needs. Returns nothing
  // if the library does not support the convolution or would be slow.
  virtual std::optional<size_t> WorkspaceFor(const LibraryConvolution& c, size_t max_bytes) = 0;
  // Reports whether Choose has been called for a convolution.
  virtual bool IsChosen(const LibraryConvolution& c) = 0;
  // Runs the algorithms of a convolution and keeps the fastest one, or the first one that works if
  // the convolution must be deterministic. Waits for the queue that the library was opened for.
  // Returns false if none works; the result is then undefined.
  // \error kInternal: the device does not work any more.
  virtual StatusOr<bool> Choose(const LibraryConvolution& c, std::span<DriverMemory* const> blocks,
                                size_t workspace_bytes) = 0;
  size_t NumOnlyRead(std::span<const int64_t> /*parameters*/) const final { return 2; }
  // Returns the time of the chosen algorithm, as Choose measured it; infinity if the library cannot
  // run the convolution. Returns nothing before Choose.
  virtual std::optional<double> SecondsOf(const LibraryConvolution& c) = 0;
  // Enqueues a convolution (ParametersOf) on a queue. Allocates nothing on the device and does not
  // wait, so that the queue may be one that records its work.
  // \error kResourceExhausted, kInternal: the library failed.
  Status Enqueue(DriverQueue& queue, std::span<const int64_t> parameters,
                 std::span<DriverMemory* const> blocks) override = 0;
};

// The parameters of ConvolutionLibrary::Enqueue: all that describes the convolution, and the bytes
// of the workspace at the end.
constexpr size_t kConvolutionParameters = 30;
using ConvolutionParameters = std::array<int64_t, kConvolutionParameters>;
ConvolutionParameters ParametersOf(const LibraryConvolution& c, size_t workspace_bytes);
LibraryConvolution ConvolutionOf(std::span<const int64_t> parameters);

// Opens the library for a queue of a device. Returns null if none is installed.
std::unique_ptr<ConvolutionLibrary> OpenConvolutionLibrary(DriverDevice& device,
                                                           DriverQueue& queue);

// Opens the first file that is a cuDNN for a queue of the CUDA driver. Returns null if none is.
std::unique_ptr<ConvolutionLibrary> OpenCudnn(DriverDevice& device, DriverQueue& queue,
                                              const std::vector<std::string>& files);

}  // namespace ramet::gpu
