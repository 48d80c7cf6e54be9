#include "ramet/ops/nn/pool_kernel.h"

#include <algorithm>
#include <limits>

#include "ramet/linalg/pooling.h"
#include "ramet/linalg/reduce.h"
#include "ramet/op/device_rows.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/math/wrapping.h"

namespace ramet {
namespace {

using Part = PoolPart;

Status CheckWindow(const WindowAttrs& w) {
  if (w.batch_size != 1 || w.batch_stride != 1) {
    return Unimplemented("Pooling is not yet supported on the batch dimension.");
  }
  for (int d = 0; d < w.spatial; ++d) {
    if (w.before[d] >= w.size[d] || w.after[d] >= w.size[d]) {
      return InvalidArgument("the padding of spatial dimension ", d, " (", w.before[d], " and ",
                             w.after[d], ") needs to be smaller than the window size ", w.size[d]);
    }
  }
  return OkStatus();
}

StatusOr<linalg::PoolGeometry> GeometryOf(const WindowAttrs& w, const Shape& image) {
  linalg::PoolGeometry g;
  g.channels_first = w.channels_first;
  g.batch = image.dim(w.batch_axis());
  g.channels = image.dim(w.channel_axis());
  for (int d = 0; d < w.spatial; ++d) {
    const int at = 3 - w.spatial + d;
    g.in[at] = image.dim(w.spatial_axis(d));
    g.window[at] = w.size[d];
    g.stride[at] = w.stride[d];
    RAMET_ASSIGN_OR_RETURN(WindowPositions p, PositionWindow(w, d, g.in[at], w.size[d]));
    g.out[at] = p.count;
    g.pad[at] = p.before;
  }
  // The loops count the pixels of a window in 32 bits.
  int64_t pixels = 1;
  for (int d = 0; d < 3; ++d) pixels *= std::min(g.window[d], g.in[d]);
  if (pixels > std::numeric_limits<int32_t>::max()) {
    return Unimplemented("a window of ", pixels, " pixels is too large");
  }
  return g;
}

Shape PooledShape(const WindowAttrs& w, const linalg::PoolGeometry& g) {
  Shape shape = Shape::OfRank(w.rank());
  shape.set_dim(w.batch_axis(), g.batch);
  shape.set_dim(w.channel_axis(), g.channels);
  for (int d = 0; d < w.spatial; ++d) shape.set_dim(w.spatial_axis(d), g.out[3 - w.spatial + d]);
  return shape;
}

Status CheckChannelWindow(const WindowAttrs& w, int64_t channels) {
  for (int d = 0; d < w.spatial; ++d) {
    if (w.size[d] == 1 && w.stride[d] == 1) continue;
    return Unimplemented(
        "MaxPooling supports exactly one of pooling across depth or pooling across width/height.");
  }
  if (channels % w.channel_size != 0) {
    return Unimplemented(
        "Depthwise max pooling requires the depth window to evenly divide the input depth");
  }
  if (w.channel_size != w.channel_stride) {
    return Unimplemented(
        "Depthwise max pooling requires the depth window to equal the depth stride");
  }
  return OkStatus();
}

Status CheckRank(const Tensor& t, int rank, std::string_view name) {
  if (t.rank() == rank) return OkStatus();
  return InvalidArgument(name, " must be ", rank, "-dimensional: ", t.shape());
}

Status CheckShape(const Tensor& t, const Shape& expected, std::string_view name) {
  if (t.shape() == expected) return OkStatus();
  return InvalidArgument("Expected ", name, " shape to be ", expected, ", but got ", t.shape());
}

class PoolKernel final : public Kernel {
 public:
  PoolKernel(PoolPart part, WindowAttrs window, const AttrMap& attrs)
      : part_(part),
        window_(window),
        include_batch_(attrs.GetOr("include_batch_in_index", false)),
        argmax_type_(attrs.GetOr("Targmax", DType::kInt64)) {}

  Status Compute(KernelContext& c) override {
    WindowAttrs window = window_;
    const int fixed = part_ == Part::kMax ? 1 : 3;  // inputs before ksize and strides
    if (c.num_inputs() == fixed + 2) {
      RAMET_ASSIGN_OR_RETURN(Dims ksize, VectorArg(c.input(fixed), "ksize"));
      RAMET_ASSIGN_OR_RETURN(Dims strides, VectorArg(c.input(fixed + 1), "strides"));
      RAMET_RETURN_IF_ERROR(SetWindow(ksize, strides, &window));
      RAMET_RETURN_IF_ERROR(CheckWindow(window));
    }
    switch (part_) {
      case Part::kMax:
      case Part::kAvg: return Pool(c, window);
      case Part::kMaxGrad:
      case Part::kMaxGradGrad: return MaxGrad(c, window);
      case Part::kArgmax: return PoolWithArgmax(c, window);
      case Part::kArgmaxGrad: return ArgmaxGrad(c, window);
      case Part::kAvgGrad: return AvgGrad(c, window);
    }
    return OkStatus();
  }

 private:
  Status NoChannels(const WindowAttrs& w) const {
    if (!PoolsChannels(w)) return OkStatus();
    return Unimplemented(part_ == Part::kMaxGrad
                             ? "MaxPoolingGrad is not yet supported on the depth dimension."
                         : part_ == Part::kMaxGradGrad
                             ? "MaxPoolingGradGrad is not yet supported on the depth dimension."
                         : w.spatial == 3 ? "Pooling is not yet supported on the depth dimension."
                                          : "Non-spatial pooling is not yet supported.");
  }

  Status Pool(KernelContext& c, const WindowAttrs& w) const {
    const Tensor& x = c.input(0);
    RAMET_RETURN_IF_ERROR(CheckRank(x, w.rank(), "tensor_in"));
    if (PoolsChannels(w)) {
      if (part_ == Part::kMax && w.spatial == 2) return PoolChannels(c, w);
      return NoChannels(w);
    }
    RAMET_ASSIGN_OR_RETURN(linalg::PoolGeometry g, GeometryOf(w, x.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), PooledShape(w, g)));
    return ramet::Pool(part_ == Part::kMax ? Pooling::kMax : Pooling::kAvg, g, &x, nullptr, *y);
  }

  // Pools channel_size adjacent channels at a time.
  Status PoolChannels(KernelContext& c, const WindowAttrs& w) const {
    const Tensor& x = c.input(0);
    const int axis = w.channel_axis();
    RAMET_RETURN_IF_ERROR(CheckChannelWindow(w, x.dim(axis)));
    Shape shape = x.shape();
    shape.set_dim(axis, x.dim(axis) / w.channel_size);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
    if (y->num_elements() == 0) return OkStatus();
    const int64_t dims[3] = {Product(shape, 0, axis + 1), w.channel_size,
                             Product(shape, axis + 1, shape.rank())};
    constexpr bool kReduced[3] = {false, true, false};
    return Reduce(linalg::ReduceOp::kMax, linalg::ReducePlan::Make(dims, kReduced), x, *y);
  }

  Status MaxGrad(KernelContext& c, const WindowAttrs& w) const {
    const bool second = part_ == Part::kMaxGradGrad;
    const Tensor& x = c.input(0);
    const Tensor& grad = c.input(2);
    RAMET_RETURN_IF_ERROR(CheckRank(x, w.rank(), "tensor_in"));
    RAMET_RETURN_IF_ERROR(CheckRank(c.input(1), w.rank(), "tensor_out"));
    RAMET_RETURN_IF_ERROR(CheckRank(grad, w.rank(), second ? "out_grad_backprop" : "out_backprop"));
    RAMET_RETURN_IF_ERROR(NoChannels(w));
    RAMET_ASSIGN_OR_RETURN(linalg::PoolGeometry g, GeometryOf(w, x.shape()));
    const Shape pooled = PooledShape(w, g);
    RAMET_RETURN_IF_ERROR(CheckShape(c.input(1), pooled, "orig_output"));
    RAMET_RETURN_IF_ERROR(CheckShape(grad, second ? x.shape() : pooled, "grad"));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, grad.dtype(), second ? pooled : x.shape()));
    return ramet::Pool(second ? Pooling::kMaxGradGrad : Pooling::kMaxGrad, g, &x, &grad, *y);
  }

  Status PoolWithArgmax(KernelContext& c, const WindowAttrs& w) const {
    const Tensor& x = c.input(0);
    RAMET_RETURN_IF_ERROR(CheckRank(x, w.rank(), "tensor_in"));
    if (PoolsChannels(w)) {
      return Unimplemented("MaxPoolWithArgmax is not supported on the depth dimension.");
    }
    if (x.num_elements() == 0) return InvalidArgument("tensor_in must not be empty");
    RAMET_ASSIGN_OR_RETURN(linalg::PoolGeometry g, GeometryOf(w, x.shape()));
    const Shape pooled = PooledShape(w, g);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), pooled));
    if (const DeviceRows* rows = DeviceRows::Of(*y)) {
      RAMET_ASSIGN_OR_RETURN(Tensor * argmax, c.Allocate(1, argmax_type_, pooled));
      return rows->PoolWithArgmax(g, include_batch_, x, *y, *argmax);
    }
    RAMET_ASSIGN_OR_RETURN(Tensor pixels, c.AllocateTemp(DType::kInt64, pooled));
    auto at = pixels.mutable_flat<int64_t>();
    linalg::MaxPoolWithArgmax(LinalgType(x.dtype()), g, x.raw_data(), y->raw_data(), at.data());
    const int64_t image = g.out_pixels() * g.channels;
    for (int64_t i = 0; i < pixels.num_elements(); ++i) {
      const int64_t batch = include_batch_ ? i / image * g.in_pixels() : 0;
      at[i] = (batch + at[i]) * g.channels + i % g.channels;
    }
    if (argmax_type_ == DType::kInt64) {
      c.SetOutput(1, std::move(pixels));
      return OkStatus();
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * argmax, c.Allocate(1, DType::kInt32, pooled));
    for (int64_t i = 0; i < argmax->num_elements(); ++i) {
      argmax->mutable_data<int32_t>()[i] = static_cast<int32_t>(at[i]);
    }
    return OkStatus();
  }

  Status ArgmaxGrad(KernelContext& c, const WindowAttrs& w) const {
    const Tensor& x = c.input(0);
    const Tensor& grad = c.input(1);
    const Tensor& argmax = c.input(2);
    RAMET_RETURN_IF_ERROR(CheckRank(x, w.rank(), "tensor_in"));
    RAMET_RETURN_IF_ERROR(NoChannels(w));
    RAMET_ASSIGN_OR_RETURN(linalg::PoolGeometry g, GeometryOf(w, x.shape()));
    const Shape pooled = PooledShape(w, g);
    RAMET_RETURN_IF_ERROR(CheckShape(grad, pooled, "grad"));
    RAMET_RETURN_IF_ERROR(CheckShape(argmax, pooled, "argmax"));
    RAMET_ASSIGN_OR_RETURN(Tensor * dx, c.Allocate(0, x.dtype(), x.shape()));
    if (const DeviceRows* rows = DeviceRows::Of(*dx)) {
      return rows->ArgmaxGrad(g, include_batch_, grad, argmax, *dx);
    }
    RAMET_RETURN_IF_ERROR(FillZeros(*dx));
    return Scatter(x.dtype(), g, grad, argmax, *dx);
  }

  // Adds grad to the elements of dx that argmax names.
  Status Scatter(DType dtype, const linalg::PoolGeometry& g, const Tensor& grad,
                 const Tensor& argmax, Tensor& dx) const {
    const int64_t image = g.in_pixels() * g.channels;
    const int64_t pooled_image = g.out_pixels() * g.channels;
    const int64_t limit = include_batch_ ? dx.num_elements() : image;
    Status status;
    ForNumber(dtype, [&]<class T>() {
      const T* from = grad.data<T>();
      T* to = dx.mutable_data<T>();
      for (int64_t i = 0; i < grad.num_elements(); ++i) {
        const int64_t at = IntegerAt(argmax, i);
        if (at < 0 || at >= limit) {
          status =
              InvalidArgument("argmax must be in [0, ", limit, "), but element ", i, " is ", at);
          return;
        }
        T& sum = to[include_batch_ ? at : i / pooled_image * image + at];
        sum = WrappingAdd(sum, from[i]);
      }
    });
    return status;
  }

  template <class F>
  static void ForNumber(DType dtype, F&& f) {
    switch (dtype) {
      case DType::kFloat: return f.template operator()<float>();
      case DType::kDouble: return f.template operator()<double>();
      case DType::kHalf: return f.template operator()<Half>();
      case DType::kBFloat16: return f.template operator()<BFloat16>();
      case DType::kInt8: return f.template operator()<int8_t>();
      case DType::kInt16: return f.template operator()<int16_t>();
      case DType::kInt32: return f.template operator()<int32_t>();
      case DType::kInt64: return f.template operator()<int64_t>();
      case DType::kUInt8: return f.template operator()<uint8_t>();
      case DType::kUInt16: return f.template operator()<uint16_t>();
      case DType::kUInt32: return f.template operator()<uint32_t>();
      default: return f.template operator()<uint64_t>();
    }
  }

  Status AvgGrad(KernelContext& c, const WindowAttrs& w) const {
    const Tensor& sizes = c.input(0);
    const Tensor& grad = c.input(1);
    if (sizes.rank() != 1 || sizes.dim(0) != w.rank()) {
      return InvalidArgument("orig_input_shape must be 1-dimensional and have ", w.rank(),
                             " elements: ", sizes.shape());
    }
    RAMET_RETURN_IF_ERROR(CheckRank(grad, w.rank(), "out_backprop"));
    RAMET_RETURN_IF_ERROR(NoChannels(w));
    RAMET_ASSIGN_OR_RETURN(Shape input, ShapeArg(sizes, "orig_input_shape"));
    RAMET_ASSIGN_OR_RETURN(linalg::PoolGeometry g, GeometryOf(w, input));
    RAMET_RETURN_IF_ERROR(CheckShape(grad, PooledShape(w, g), "grad"));
    RAMET_ASSIGN_OR_RETURN(Tensor * dx, c.Allocate(0, grad.dtype(), input));
    return ramet::Pool(Pooling::kAvgGrad, g, nullptr, &grad, *dx);
  }

  const PoolPart part_;
  const WindowAttrs window_;
  const bool include_batch_;
  const DType argmax_type_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakePoolKernel(PoolPart part, int spatial,
                                                 const KernelNode& node) {
  RAMET_ASSIGN_OR_RETURN(WindowAttrs window, ParseWindow(*node.attrs, spatial, node.op));
  if (node.attrs->Find("ksize") != nullptr) RAMET_RETURN_IF_ERROR(CheckWindow(window));
  return std::unique_ptr<Kernel>(std::make_unique<PoolKernel>(part, window, *node.attrs));
}

bool PoolsChannels(const WindowAttrs& w) { return w.channel_size != 1 || w.channel_stride != 1; }

}  // namespace ramet
