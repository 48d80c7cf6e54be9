#include "ramet/backends/gpu/ops/gpu_math.h"

#include "ramet/backends/gpu/ops/families.h"
#include "ramet/backends/gpu/ops/gpu_rows.h"

namespace ramet::gpu {
namespace {

class GpuMoves : public DeviceMath {
 public:
  explicit GpuMoves(GpuDevice& device) : device_(device) {}
  StatusOr<Tensor> FromHost(const Tensor& host) const override {
    return device_.CopyFromHost(host);
  }
  Status Copy(const Tensor& x, int64_t x_offset, std::span<const int64_t> x_strides, Tensor& y,
              int64_t y_offset, std::span<const int64_t> y_strides,
              std::span<const int64_t> dims) const override {
    return CopyStrided(device_, x, x_offset, x_strides, y, y_offset, y_strides, dims);
  }
  Status SetZeros(Tensor& y) const override { return gpu::SetZeros(device_, y); }
  Status SetAll(const Tensor& value, Tensor& y) const override {
    return gpu::SetAll(device_, value, y);
  }
  Status Select(const linalg::BroadcastPlan& plan, const Tensor& condition, const Tensor& a,
                const Tensor& b, Tensor& y) const override {
    return gpu::Select(device_, plan, condition, a, b, y);
  }
  Status GatherRows(const GatherSizes& sizes, const Tensor& params, const Tensor& indices,
                    Tensor& y) const override {
    return gpu::GatherRows(device_, sizes, params, indices, y);
  }
  Status UpdateRows(RowUpdate update, int64_t rows, int64_t row_size, const Tensor& indices,
                    const Tensor& updates, Tensor& y) const override {
    return gpu::UpdateRows(device_, update, rows, row_size, indices, updates, y);
  }
  StatusOr<Tensor> RowsOfTuples(const Tensor& tuples,
                                std::span<const int64_t> dims) const override {
    return gpu::RowsOfTuples(device_, tuples, dims);
  }
  Status SetHot(int64_t depth, int64_t inner, const Tensor& indices, const Tensor& on,
                Tensor& y) const override {
    return gpu::SetHot(device_, depth, inner, indices, on, y);
  }

 protected:
  GpuDevice& device_;
};

class GpuMath final : public GpuMoves, public GpuRows {
 public:
  explicit GpuMath(GpuDevice& device) : GpuMoves(device), GpuRows(device) {}

  Status AddRepeated(const Tensor& a, const Tensor& b, int64_t inner, Tensor& y) const override {
    return gpu::AddRepeated(device_, a, b, inner, y);
  }
  Status TakeRoots(Tensor& y) const override { return gpu::TakeRoots(device_, y); }
  Status Reduce(linalg::ReduceOp op, const linalg::ReducePlan& plan, const Tensor& x, Tensor& y,
                int64_t divisor) const override {
    return gpu::Reduce(device_, op, plan, x, y, divisor);
  }
  Status ArgReduce(bool max, int64_t outer, int64_t n, int64_t inner, const Tensor& x,
                   Tensor& y) const override {
    return gpu::ArgReduce(device_, max, outer, n, inner, x, y);
  }
  Status MapRows(Rows function, int64_t columns, const Tensor& x, Tensor& y) const override {
    return gpu::MapRows(device_, function, columns, x, y);
  }
  Status SoftmaxXent(const Tensor& logits, const Tensor& labels, Tensor& loss,
                     Tensor& backprop) const override {
    return gpu::SoftmaxXent(device_, logits, labels, loss, backprop);
  }
  Status Multiply(const MatrixSizes& sizes, const linalg::BroadcastPlan& plan, const Tensor& x,
                  const Tensor& y, Tensor& z) const override {
    return gpu::Multiply(device_, sizes, plan, x, y, z);
  }
  Status Convolve(ConvPart part, const linalg::ConvGeometry& g, const Tensor& a, const Tensor& b,
                  Tensor& result) const override {
    return gpu::Convolve(device_, part, g, a, b, result);
  }
  Status Pool(Pooling part, const linalg::PoolGeometry& g, const Tensor* x, const Tensor* grad,
              Tensor& y) const override {
    return gpu::Pool(device_, part, g, x, grad, y);
  }
  Status BatchMoments(const linalg::NormGeometry& g, const Tensor& x, Tensor& mean,
                      Tensor& variance) const override {
    return gpu::BatchMoments(device_, g, x, mean, variance);
  }
  Status RunningMoments(const linalg::NormGeometry& g, float factor, const Tensor* old[2],
                        const Tensor* batch[2], Tensor* running[2]) const override {
    return gpu::RunningMoments(device_, g, factor, old, batch, running);
  }
  Status BatchNormalize(const linalg::NormGeometry& g, const NormVectors& v, const Tensor& x,
                        const Tensor& offset, Tensor& y) const override {
    return gpu::BatchNormalize(device_, g, v, x, offset, y);
  }
  Status BatchNormGrad(const linalg::NormGeometry& g, const NormVectors& v, bool training,
                       const Tensor& x, const Tensor& dy, Tensor& dx, Tensor& dscale,
                       Tensor& doffset) const override {
    return gpu::BatchNormGrad(device_, g, v, training, x, dy, dx, dscale, doffset);
  }
  Status Fill(Draw draw, const linalg::Philox& generator, Tensor& y) const override {
    return gpu::Fill(device_, draw, generator, y);
  }
  Status FillUniformInt(const linalg::Philox& generator, int64_t low, int64_t high,
                        Tensor& y) const override {
    return gpu::FillUniformInt(device_, generator, low, high, y);
  }
};

}  // namespace

std::unique_ptr<DeviceMath> MakeGpuMath(GpuDevice& device) {
  return std::make_unique<GpuMath>(device);
}

}  // namespace ramet::gpu
