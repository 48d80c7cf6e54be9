#pragma once

#include <cstdint>
#include <span>

#include "ramet/linalg/batch_norm.h"
#include "ramet/linalg/broadcast.h"
#include "ramet/linalg/conv.h"
#include "ramet/linalg/pooling.h"
#include "ramet/linalg/random.h"
#include "ramet/linalg/reduce.h"
#include "ramet/tensor/tensor.h"

// Functions of linalg on whole tensors. They run where the tensors are: on the host, or on the
// device whose memory holds them. A kernel that touches elements only through these functions runs
// on every device that has them (DeviceMath). Results must have the right shape and must not
// overlap operands, unless the functions of linalg allow it.
namespace ramet {

enum class Rows : uint8_t { kSoftmax, kLogSoftmax };
enum class Draw : uint8_t { kUniform, kNormal, kTruncatedNormal };
enum class ConvPart : uint8_t { kForward, kBackpropInput, kBackpropFilter };
enum class Pooling : uint8_t { kMax, kMaxGrad, kMaxGradGrad, kAvg, kAvgGrad };
// How rows of updates are combined with those of a tensor. If several rows have the same index, the
// last one is assigned, and all are combined otherwise. Devices have kDiv for floating types only,
// and kMax and kMin not for unsigned types of 32 and 64 bits.
enum class RowUpdate : uint8_t { kAssign, kAdd, kSub, kMul, kDiv, kMax, kMin };

// The sizes of a gather: params is [batch, outer, rows, inner], indices is [batch, picks] and the
// result is [batch, outer, picks, inner].
struct GatherSizes {
  int64_t batch, outer, rows, inner, picks;
};

// Products of stacks of matrices: op(x) [..., m, k] times op(y) [..., k, n], in stacks that `plan`
// broadcasts.
struct MatrixSizes {
  int64_t m, n, k;
  bool transpose_x = false, transpose_y = false;
};

// The vectors of batch normalization, one float per channel.
struct NormVectors {
  const Tensor& scale;
  const Tensor& mean;
  const Tensor& variance;
  float epsilon;
};

// A DeviceMoves moves elements of tensors in the memory of one device. Indices that are out of
// range select zeros and update nothing. Thread-safe. Errors: kResourceExhausted if there is no
// memory for temporary values; kUnimplemented if the device does not support the dtype.
class RAMET_EXPORT DeviceMoves {
 public:
  virtual ~DeviceMoves() = default;
  // Returns a copy of a tensor in host memory.
  virtual StatusOr<Tensor> FromHost(const Tensor& host) const = 0;
  // y[y_offset + sum(i * y_strides)] = x[x_offset + sum(i * x_strides)] for all indices i below
  // `dims`. Elements of y must be distinct.
  virtual Status Copy(const Tensor& x, int64_t x_offset, std::span<const int64_t> x_strides,
                      Tensor& y, int64_t y_offset, std::span<const int64_t> y_strides,
                      std::span<const int64_t> dims) const = 0;
  virtual Status SetZeros(Tensor& y) const = 0;
  // Sets all elements of y to the only element of `value`, which may be in host memory.
  virtual Status SetAll(const Tensor& value, Tensor& y) const = 0;
  virtual Status Select(const linalg::BroadcastPlan& plan, const Tensor& condition, const Tensor& a,
                        const Tensor& b, Tensor& y) const = 0;
  // y[b, o, i, :] = params[b, o, indices[b, i], :].
  virtual Status GatherRows(const GatherSizes& sizes, const Tensor& params, const Tensor& indices,
                            Tensor& y) const = 0;
  // Combines row indices[i] of y, [rows, row_size], with row i of `updates`, or with its only
  // element.
  virtual Status UpdateRows(RowUpdate update, int64_t rows, int64_t row_size, const Tensor& indices,
                            const Tensor& updates, Tensor& y) const = 0;
  // Returns the number (int64) of the row that each tuple selects in a shape with these dimensions,
  // or -1.
  virtual StatusOr<Tensor> RowsOfTuples(const Tensor& tuples,
                                        std::span<const int64_t> dims) const = 0;
  // Sets y[o, indices[o, i], i] to the only element of `on`; y is [outer, depth, inner].
  virtual Status SetHot(int64_t depth, int64_t inner, const Tensor& indices, const Tensor& on,
                        Tensor& y) const = 0;
};

// A DeviceMath computes on tensors in the memory of one device. Thread-safe. Errors are those of
// DeviceMoves.
class RAMET_EXPORT DeviceMath : public DeviceMoves {
 public:
  // Returns the functions of the device whose memory holds `t`. Returns null for host memory, and
  // for a device that lets kernels access its memory.
  static const DeviceMath* Of(const Tensor& t);

  virtual Status AddRepeated(const Tensor& a, const Tensor& b, int64_t inner, Tensor& y) const = 0;
  // Replaces the elements of y, of a floating type, by their square roots.
  virtual Status TakeRoots(Tensor& y) const = 0;
  virtual Status Reduce(linalg::ReduceOp op, const linalg::ReducePlan& plan, const Tensor& x,
                        Tensor& y, int64_t divisor) const = 0;
  virtual Status ArgReduce(bool max, int64_t outer, int64_t n, int64_t inner, const Tensor& x,
                           Tensor& y) const = 0;
  virtual Status MapRows(Rows function, int64_t columns, const Tensor& x, Tensor& y) const = 0;
  virtual Status SoftmaxXent(const Tensor& logits, const Tensor& labels, Tensor& loss,
                             Tensor& backprop) const = 0;
  virtual Status Multiply(const MatrixSizes& sizes, const linalg::BroadcastPlan& plan,
                          const Tensor& x, const Tensor& y, Tensor& z) const = 0;
  virtual Status Convolve(ConvPart part, const linalg::ConvGeometry& g, const Tensor& a,
                          const Tensor& b, Tensor& result) const = 0;
  virtual Status Pool(Pooling part, const linalg::PoolGeometry& g, const Tensor* x,
                      const Tensor* grad, Tensor& y) const = 0;
  virtual Status BatchMoments(const linalg::NormGeometry& g, const Tensor& x, Tensor& mean,
                              Tensor& variance) const = 0;
  virtual Status RunningMoments(const linalg::NormGeometry& g, float factor, const Tensor* old[2],
                                const Tensor* batch[2], Tensor* running[2]) const = 0;
  virtual Status BatchNormalize(const linalg::NormGeometry& g, const NormVectors& v,
                                const Tensor& x, const Tensor& offset, Tensor& y) const = 0;
  virtual Status BatchNormGrad(const linalg::NormGeometry& g, const NormVectors& v, bool training,
                               const Tensor& x, const Tensor& dy, Tensor& dx, Tensor& dscale,
                               Tensor& doffset) const = 0;
  virtual Status Fill(Draw draw, const linalg::Philox& generator, Tensor& y) const = 0;
  virtual Status FillUniformInt(const linalg::Philox& generator, int64_t low, int64_t high,
                                Tensor& y) const = 0;
};

// A HasDeviceMath is a DeviceMemory that kernels cannot access, but DeviceMath can.
class HasDeviceMath {
 public:
  virtual ~HasDeviceMath() = default;
  virtual const DeviceMath& math() const = 0;
};

// These functions also run on the host. Kernels that have loops of their own for the host call
// the others on DeviceMath.

// y = op over the reduced dimensions of x, divided by `divisor` (floating types only).
Status Reduce(linalg::ReduceOp op, const linalg::ReducePlan& plan, const Tensor& x, Tensor& y,
              int64_t divisor = 1);
// y[i] = a[i] + b[i / inner % size of b]. y may be a.
Status AddRepeated(const Tensor& a, const Tensor& b, int64_t inner, Tensor& y);
Status Select(const linalg::BroadcastPlan& plan, const Tensor& condition, const Tensor& a,
              const Tensor& b, Tensor& y);
// y[o, i] = the index of the largest or smallest x[o, :, i].
Status ArgReduce(bool max, int64_t outer, int64_t n, int64_t inner, const Tensor& x, Tensor& y);
Status MapRows(Rows function, int64_t columns, const Tensor& x, Tensor& y);
// The labels are probabilities with the shape of the logits.
Status SoftmaxXent(const Tensor& logits, const Tensor& labels, Tensor& loss, Tensor& backprop);
// Convolve with (x, filter), (filter, dy) or (x, dy).
Status Convolve(ConvPart part, const linalg::ConvGeometry& g, const Tensor& a, const Tensor& b,
                Tensor& result);
// Pools `x` or its gradient. Parts that do not read an operand get null.
Status Pool(Pooling part, const linalg::PoolGeometry& g, const Tensor* x, const Tensor* grad,
            Tensor& y);
Status BatchMoments(const linalg::NormGeometry& g, const Tensor& x, Tensor& mean, Tensor& variance);
Status BatchNormalize(const linalg::NormGeometry& g, const NormVectors& v, const Tensor& x,
                      const Tensor& offset, Tensor& y);
Status BatchNormGrad(const linalg::NormGeometry& g, const NormVectors& v, bool training,
                     const Tensor& x, const Tensor& dy, Tensor& dx, Tensor& dscale,
                     Tensor& doffset);
Status Fill(Draw draw, const linalg::Philox& generator, Tensor& y);
// Integers in [low, high), or all of the dtype if low == high.
Status FillUniformInt(const linalg::Philox& generator, int64_t low, int64_t high, Tensor& y);

}  // namespace ramet
