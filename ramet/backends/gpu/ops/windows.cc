#include <algorithm>
#include <limits>

#include "ramet/backends/gpu/ops/families.h"
#include "ramet/backends/gpu/ops/gpu_rows.h"

namespace ramet::gpu {
namespace {

linalg::ConvGeometry AsConvolution(const linalg::PoolGeometry& g) {
  linalg::ConvGeometry c;
  c.batch = g.batch;
  c.in_channels = c.out_channels = g.channels;
  for (int d = 0; d < 3; ++d) {
    c.in[d] = g.in[d];
    // A larger window covers the same elements, and a step beyond the image is never taken.
    c.filter[d] = std::min(g.window[d], g.in[d] + g.pad[d]);
    c.out[d] = g.out[d];
    c.stride[d] = g.stride[d];
    c.pad[d] = g.pad[d];
  }
  c.channels_first = g.channels_first;
  return c;
}

}  // namespace

StatusOr<Window> WindowOf(const linalg::ConvGeometry& g) {
  bool fits = true;
  const auto narrow = [&](int64_t size) {
    fits &= size >= 0 && size <= std::numeric_limits<int32_t>::max() / 2;
    return static_cast<int32_t>(size);
  };
  Window w = {};
  w.batch = narrow(g.batch);
  w.in_channels = narrow(g.in_channels);
  w.out_channels = narrow(g.out_channels);
  w.groups = narrow(g.groups);
  for (int d = 0; d < 3; ++d) {
    w.in[d] = narrow(g.in[d]);
    w.filter[d] = narrow(g.filter[d]);
    w.out[d] = narrow(g.out[d]);
    w.stride[d] = narrow(g.stride[d]);
    w.dilation[d] = narrow(g.dilation[d]);
    w.pad[d] = narrow(g.pad[d]);
    narrow(g.stride[d] * g.out[d] + g.dilation[d] * g.filter[d]);
  }
  narrow(g.in_pixels());
  narrow(g.out_pixels());
  w.channels_first = g.channels_first;
  if (fits) return w;
  return Unimplemented(
      "a window or an image is too large for a GPU; place the operation on the CPU");
}

Status Pool(GpuDevice& device, Pooling part, const linalg::PoolGeometry& g, const Tensor* x,
            const Tensor* grad, Tensor& y) {
  RAMET_ASSIGN_OR_RETURN(const Window w, WindowOf(AsConvolution(g)));
  const int64_t n = y.num_elements();
  const Definitions definitions = PoolDefinitions(y.dtype());
  const auto run = [&](const char* kernel, std::initializer_list<LaunchArgument> arguments) {
    return ForEach(device, kPoolProgram, kernel, definitions, n, arguments);
  };
  switch (part) {
    case Pooling::kMax: return run("max_pool", {*x, y, w, Index{n}});
    case Pooling::kAvg: return run("avg_pool", {*x, y, w, Index{n}});
    case Pooling::kMaxGrad: return run("max_grad", {*x, *grad, y, w, Index{n}});
    case Pooling::kMaxGradGrad: return run("max_grad_grad", {*x, *grad, y, w, Index{n}});
    default: return run("avg_grad", {*grad, y, w, Index{n}});
  }
}

Status GpuRows::PoolWithArgmax(const linalg::PoolGeometry& g, bool in_batch, const Tensor& x,
                               Tensor& y, Tensor& argmax) const {
  RAMET_ASSIGN_OR_RETURN(const Window w, WindowOf(AsConvolution(g)));
  const int64_t n = y.num_elements();
  const auto is_wide = static_cast<int32_t>(argmax.dtype() == kInt64);
  return ForEach(rows_device_, kPoolProgram, "max_pool_argmax", PoolDefinitions(y.dtype()), n,
                 {x, y, argmax, argmax, w, is_wide, static_cast<int32_t>(in_batch), Index{n}});
}

Status GpuRows::ArgmaxGrad(const linalg::PoolGeometry& g, bool in_batch, const Tensor& grad,
                           const Tensor& argmax, Tensor& dx) const {
  RAMET_RETURN_IF_ERROR(SetZeros(rows_device_, dx));
  const int64_t n = grad.num_elements();
  if (n == 0) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(const Window w, WindowOf(AsConvolution(g)));
  RAMET_ASSIGN_OR_RETURN(Tensor positions, Temporary(rows_device_, kInt64, Shape{n}));
  const auto is_wide = static_cast<int32_t>(argmax.dtype() == kInt64);
  RAMET_RETURN_IF_ERROR(
      ForEach(rows_device_, kPoolProgram, "argmax_positions", PoolDefinitions(dx.dtype()), n,
              {argmax, argmax, positions, w, is_wide, static_cast<int32_t>(in_batch), Index{n}}));
  return UpdateRows(rows_device_, RowUpdate::kAdd, dx.num_elements(), 1, positions, grad, dx);
}

}  // namespace ramet::gpu
