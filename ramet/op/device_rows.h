#pragma once

#include "ramet/op/tensor_math.h"

namespace ramet {

// A running sum or product along the middle one of three dimensions.
struct ScanSizes {
  int64_t outer, n, inner;
  bool exclusive, reverse;
};

// The sum around an element of LRN: bias + alpha * (the sum of squares at most `radius` away).
struct NeighborNorm {
  int64_t radius;
  float bias, alpha, beta;
};

// A DeviceRows computes along rows, segments and windows in the memory of one device. Kernels with
// loops of their own for the host call it for other tensors. Results must have the right shape and
// must not overlap operands. Thread-safe. Errors are those of DeviceMoves.
class RAMET_EXPORT DeviceRows {
 public:
  virtual ~DeviceRows() = default;
  // Returns the functions of the device whose memory holds `t`. Returns null for host memory, and
  // for a device that lets kernels access its memory.
  static const DeviceRows* Of(const Tensor& t);

  // y = max(min(x, high), low). The bounds have the shape of x or one element. y may be x.
  virtual Status Clip(const Tensor& x, const Tensor& low, const Tensor& high, Tensor& y) const = 0;
  // `op` is kSum or kProd.
  virtual Status Scan(linalg::ReduceOp op, const ScanSizes& s, const Tensor& x,
                      Tensor& y) const = 0;
  // Sets the largest elements of each row of x, as many as a row of `values` has, and their
  // indices. Larger elements come first, equal ones by index, and NaNs last.
  virtual Status TopOfRows(const Tensor& x, Tensor& values, Tensor& indices) const = 0;
  // y = x / norm^beta along the last dimension.
  virtual Status NormalizeNeighbors(const NeighborNorm& norm, const Tensor& x, Tensor& y) const = 0;
  virtual Status NormalizeNeighborsGrad(const NeighborNorm& norm, const Tensor& dy, const Tensor& x,
                                        const Tensor& y, Tensor& dx) const = 0;
  // Draws as many classes for each row of logits as a row of y has.
  virtual Status DrawClasses(const linalg::Philox& generator, const Tensor& logits,
                             Tensor& y) const = 0;
  // Row i of y combines rows [starts[i], starts[i + 1]) of `data`. `starts` is in host memory and
  // has one element more than y has rows. Segments without rows are 1 for kProd, and 0 otherwise.
  virtual Status CombineSegments(linalg::ReduceOp op, const Tensor& starts, const Tensor& data,
                                 Tensor& y) const = 0;
  // `argmax` has the position of each maximum in its image, or in x with `in_batch`.
  virtual Status PoolWithArgmax(const linalg::PoolGeometry& g, bool in_batch, const Tensor& x,
                                Tensor& y, Tensor& argmax) const = 0;
  // Adds `grad` to zeros at the positions in `argmax`. Positions that are out of range are ignored.
  virtual Status ArgmaxGrad(const linalg::PoolGeometry& g, bool in_batch, const Tensor& grad,
                            const Tensor& argmax, Tensor& dx) const = 0;
};

}  // namespace ramet
