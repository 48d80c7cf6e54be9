#pragma once

#include "ramet/op/device_rows.h"

namespace ramet::gpu {

class GpuDevice;

// The functions along rows on a GPU, which must outlive them. They are defined by family in
// scan.cc, top_k.cc, lrn.cc and windows.cc.
class GpuRows : public DeviceRows {
 public:
  explicit GpuRows(GpuDevice& device) : rows_device_(device) {}
  Status Clip(const Tensor& x, const Tensor& low, const Tensor& high, Tensor& y) const override;
  Status Scan(linalg::ReduceOp op, const ScanSizes& s, const Tensor& x, Tensor& y) const override;
  Status TopOfRows(const Tensor& x, Tensor& values, Tensor& indices) const override;
  Status NormalizeNeighbors(const NeighborNorm& norm, const Tensor& x, Tensor& y) const override;
  Status NormalizeNeighborsGrad(const NeighborNorm& norm, const Tensor& dy, const Tensor& x,
                                const Tensor& y, Tensor& dx) const override;
  Status DrawClasses(const linalg::Philox& generator, const Tensor& logits,
                     Tensor& y) const override;
  Status CombineSegments(linalg::ReduceOp op, const Tensor& starts, const Tensor& data,
                         Tensor& y) const override;
  Status PoolWithArgmax(const linalg::PoolGeometry& g, bool in_batch, const Tensor& x, Tensor& y,
                        Tensor& argmax) const override;
  Status ArgmaxGrad(const linalg::PoolGeometry& g, bool in_batch, const Tensor& grad,
                    const Tensor& argmax, Tensor& dx) const override;

 private:
  GpuDevice& rows_device_;
};

}  // namespace ramet::gpu
