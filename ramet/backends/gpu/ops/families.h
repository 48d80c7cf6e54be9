#pragma once

#include "ramet/backends/gpu/kernels/kernels.h"
#include "ramet/backends/gpu/launch.h"
#include "ramet/op/tensor_math.h"

// The functions of DeviceMath on a GPU, by family. Arguments and errors are those of DeviceMath.
namespace ramet::gpu {

// moves.cc
Status CopyStrided(GpuDevice& device, const Tensor& x, int64_t x_offset,
                   std::span<const int64_t> x_strides, Tensor& y, int64_t y_offset,
                   std::span<const int64_t> y_strides, std::span<const int64_t> dims);
Status SetZeros(GpuDevice& device, Tensor& y);
Status SetAll(GpuDevice& device, const Tensor& value, Tensor& y);
Status AddRepeated(GpuDevice& device, const Tensor& a, const Tensor& b, int64_t inner, Tensor& y);
Status TakeRoots(GpuDevice& device, Tensor& y);
Status Select(GpuDevice& device, const linalg::BroadcastPlan& plan, const Tensor& condition,
              const Tensor& a, const Tensor& b, Tensor& y);

// reductions.cc
Status Reduce(GpuDevice& device, linalg::ReduceOp op, const linalg::ReducePlan& plan,
              const Tensor& x, Tensor& y, int64_t divisor);
// An operand that a program computes from `arguments`: kReduceProgram after OPERANDS and ELEMENT,
// which need a definition of RANK.
struct ComputedOperand {
  const Program& program;
  DType dtype;
  std::vector<LaunchArgument> arguments;
  int rank;
};
// Reports whether a reduction with this plan needs no copy of its operand.
bool CanReduceInPlace(const linalg::ReducePlan& plan);
// Reduces an operand without storing it. The plan must be one that CanReduceInPlace, and reduce at
// least one element.
Status ReduceComputed(GpuDevice& device, linalg::ReduceOp op, const linalg::ReducePlan& plan,
                      const ComputedOperand& operand, Tensor& y);
// The sum of the rows of a matrix of sums (SumTag).
Status ReduceRows(GpuDevice& device, const Tensor& sums, Tensor& y);
Status ArgReduce(GpuDevice& device, bool max, int64_t outer, int64_t n, int64_t inner,
                 const Tensor& x, Tensor& y);

// rows.cc
Status MapRows(GpuDevice& device, Rows function, int64_t columns, const Tensor& x, Tensor& y);
Status SoftmaxXent(GpuDevice& device, const Tensor& logits, const Tensor& labels, Tensor& loss,
                   Tensor& backprop);

// products.cc
Status Multiply(GpuDevice& device, const MatrixSizes& sizes, const linalg::BroadcastPlan& plan,
                const Tensor& x, const Tensor& y, Tensor& z);
Status Convolve(GpuDevice& device, ConvPart part, const linalg::ConvGeometry& g, const Tensor& a,
                const Tensor& b, Tensor& result);

// library_convolutions.cc
// Starts a convolution with a library of the device's vendor. Returns false if no library is
// installed or none supports the convolution; `result` is then undefined.
// \error as DeviceLibraries::Convolve.
StatusOr<bool> ConvolveWithLibrary(GpuDevice& device, ConvPart part, const linalg::ConvGeometry& g,
                                   const Tensor& a, const Tensor& b, Tensor& result);

// windows.cc
// Returns the argument of kernels for a geometry.
// \error kUnimplemented: a size has more than 31 bits.
StatusOr<Window> WindowOf(const linalg::ConvGeometry& g);
Status Pool(GpuDevice& device, Pooling part, const linalg::PoolGeometry& g, const Tensor* x,
            const Tensor* grad, Tensor& y);

// norms.cc
Status BatchMoments(GpuDevice& device, const linalg::NormGeometry& g, const Tensor& x, Tensor& mean,
                    Tensor& variance);
Status RunningMoments(GpuDevice& device, const linalg::NormGeometry& g, float factor,
                      const Tensor* old[2], const Tensor* batch[2], Tensor* running[2]);
Status BatchNormalize(GpuDevice& device, const linalg::NormGeometry& g, const NormVectors& v,
                      const Tensor& x, const Tensor& offset, Tensor& y);
Status BatchNormGrad(GpuDevice& device, const linalg::NormGeometry& g, const NormVectors& v,
                     bool training, const Tensor& x, const Tensor& dy, Tensor& dx, Tensor& dscale,
                     Tensor& doffset);

// indices.cc
Status GatherRows(GpuDevice& device, const GatherSizes& sizes, const Tensor& params,
                  const Tensor& indices, Tensor& y);
Status UpdateRows(GpuDevice& device, RowUpdate update, int64_t rows, int64_t row_size,
                  const Tensor& indices, const Tensor& updates, Tensor& y);
StatusOr<Tensor> RowsOfTuples(GpuDevice& device, const Tensor& tuples,
                              std::span<const int64_t> dims);
Status SetHot(GpuDevice& device, int64_t depth, int64_t inner, const Tensor& indices,
              const Tensor& on, Tensor& y);

// random.cc
// Returns the argument of kernels for a generator. It is different in each run, so that launches
// with it belong outside of graphs.
PhiloxState StateOf(const linalg::Philox& generator);
// Calls `start`, which enqueues work that is in no graph.
template <class Start>
Status StartOutsideOfGraphs(GpuDevice& device, const Start& start) {
  RAMET_RETURN_IF_ERROR(device.Checked(device.queue().graphs().EndSequence()));
  RAMET_RETURN_IF_ERROR(start());
  return device.Checked(device.queue().graphs().EndSequence());
}
Status Fill(GpuDevice& device, Draw draw, const linalg::Philox& generator, Tensor& y);
Status FillUniformInt(GpuDevice& device, const linalg::Philox& generator, int64_t low, int64_t high,
                      Tensor& y);

// Starts a kernel for each of `count` elements.
inline Status ForEach(GpuDevice& device, const Program& program, std::string_view function,
                      Definitions definitions, int64_t count,
                      std::initializer_list<LaunchArgument> arguments) {
  return LaunchForEach(device, {program, function, std::move(definitions)}, count,
                       std::span(arguments.begin(), arguments.size()));
}
// Starts a kernel with groups of `size` items.
inline Status ForGroups(GpuDevice& device, const Program& program, std::string_view function,
                        Definitions definitions, const LaunchSize& size,
                        std::initializer_list<LaunchArgument> arguments) {
  return Launch(device, {program, function, std::move(definitions)}, size,
                std::span(arguments.begin(), arguments.size()));
}
inline int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }
// Returns a temporary tensor in the device's memory.
inline StatusOr<Tensor> Temporary(GpuDevice& device, DType dtype, const Shape& shape) {
  return Tensor::Allocate(dtype, shape, device.allocator());
}

}  // namespace ramet::gpu
