#include <array>

#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/mirror.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/math/wrapping.h"

// Padding with mirror images, and its gradient.

namespace ramet {
namespace {

Status CheckFits(const Mirror& m, int d, int64_t n) {
  const int64_t before = m.before[d], after = m.after[d];
  if (before <= n - m.offset && after <= n - m.offset) return OkStatus();
  return m.offset == 1
             ? InvalidArgument("paddings must be less than the dimension size: ", before, ", ",
                               after, " not less than ", n)
             : InvalidArgument("paddings must be no greater than the dimension size: ", before,
                               ", ", after, " greater than ", n);
}

// Calls fn(padded element, source element) for every element of the padded tensor.
template <class Fn>
void ForMirrored(const Mirror& m, const Shape& padded, const Shape& source, Fn&& fn) {
  const int last = padded.rank() - 1;
  const int64_t n = padded.num_elements();
  if (last < 0) return fn(0, 0);
  const Dims strides = RowMajorStrides(source.dims());
  Dims index(padded.rank(), 0);
  const int64_t inside = m.before[last], width = source.dim(last), row = padded.dim(last);
  for (int64_t i = 0; i < n; i += row) {
    int64_t from = 0;
    for (int d = 0; d < last; ++d) from += m.Source(d, source.dim(d), index[d]) * strides[d];
    for (int64_t j = 0; j < inside; ++j) fn(i + j, from + m.Source(last, width, j));
    for (int64_t j = 0; j < width; ++j) fn(i + inside + j, from + j);
    for (int64_t j = inside + width; j < row; ++j) fn(i + j, from + m.Source(last, width, j));
    for (int d = last - 1; d >= 0 && ++index[d] == padded.dim(d); --d) index[d] = 0;
  }
}

// Pads on a device: copies x to the middle of y, then mirrors in one dimension after the other.
Status MirrorStrided(const Mirror& m, const Tensor& x, Tensor& y) {
  const Dims steps = RowMajorStrides(y.shape().dims());
  int64_t begin = 0;  // of the part of y that is filled
  for (int d = 0; d < x.rank(); ++d) begin += m.before[d] * steps[d];
  Dims dims(x.shape().dims());
  RAMET_RETURN_IF_ERROR(
      MoveStrided(x, 0, RowMajorStrides(x.shape().dims()), y, begin, steps, dims));
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t first = begin - m.before[d] * steps[d];
    Dims back(steps);
    back[d] = -steps[d];
    for (const bool is_after : {false, true}) {
      dims[d] = is_after ? m.after[d] : m.before[d];
      const int64_t at = is_after ? m.before[d] + x.dim(d) : 0;
      const int64_t from = m.before[d] + m.Source(d, x.dim(d), at);
      RAMET_RETURN_IF_ERROR(
          MoveStrided(y, first + from * steps[d], back, y, first + at * steps[d], steps, dims));
    }
    begin = first;
    dims[d] = y.dim(d);
  }
  return OkStatus();
}

}  // namespace

int64_t MirrorOffset(const AttrMap& attrs) {
  return attrs.GetOr<std::string>("mode", "REFLECT") == "REFLECT" ? 1 : 0;
}

StatusOr<Mirror> ReadMirror(const Tensor& paddings, int64_t offset, const Shape& x) {
  if (paddings.rank() != 2 || paddings.dim(1) != 2) {
    return InvalidArgument("paddings must be a matrix with 2 columns: ", paddings.shape());
  }
  if (paddings.dim(0) != x.rank()) {
    return InvalidArgument("The first dimension of paddings must be the rank of inputs",
                           paddings.shape(), ", ", x);
  }
  Mirror m{offset, {}, {}};
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t before = IntegerAt(paddings, 2 * d), after = IntegerAt(paddings, 2 * d + 1);
    if (before < 0 || after < 0) {
      return InvalidArgument("paddings must be non-negative: ", before, " ", after);
    }
    m.before.Append(before);
    m.after.Append(after);
  }
  return m;
}

StatusOr<Shape> MirroredShape(const Mirror& m, const Shape& x) {
  Shape shape = x;
  for (int d = 0; d < x.rank(); ++d) {
    if (x.dim(d) < 0) continue;
    RAMET_RETURN_IF_ERROR(CheckFits(m, d, x.dim(d)));
    int64_t padded;
    if (__builtin_add_overflow(x.dim(d), m.before[d], &padded) ||
        __builtin_add_overflow(padded, m.after[d], &padded)) {
      return InvalidArgument("dimension ", d, " of size ", x.dim(d), " padded by ", m.before[d],
                             " and ", m.after[d], " overflows");
    }
    shape.set_dim(d, padded);
  }
  return Shape::Make(shape.dims());
}

Status MirrorElements(const Mirror& m, const Tensor& x, Tensor& y) {
  if (DeviceMath::Of(y) != nullptr) return MirrorStrided(m, x, y);
  DispatchElement(x.dtype(), [&]<class U>() {
    const U* from = static_cast<const U*>(x.raw_data());
    U* to = static_cast<U*>(y.raw_data());
    ForMirrored(m, y.shape(), x.shape(), [&](int64_t i, int64_t at) { to[i] = from[at]; });
  });
  return OkStatus();
}

namespace {

StatusOr<Shape> CroppedShape(const Mirror& m, const Shape& x) {
  Shape shape = x;
  for (int d = 0; d < x.rank(); ++d) {
    if (x.dim(d) < 0) continue;
    int64_t total;
    const bool fits = !__builtin_add_overflow(m.before[d], m.after[d], &total);
    if (!fits || total >= x.dim(d)) {
      return InvalidArgument("Total paddings must be less than the input dimension size: ",
                             fits ? total : m.before[d], " was not less than ", x.dim(d));
    }
    shape.set_dim(d, x.dim(d) - total);
    RAMET_RETURN_IF_ERROR(CheckFits(m, d, shape.dim(d)));
  }
  return shape;
}

// Adds the paddings of dimension d of x, which has the dimensions [outer, n + paddings, inner], to
// the elements that they mirror.
StatusOr<Tensor> FoldDimension(KernelContext& c, const DeviceMath& math, const Mirror& m, int d,
                               int64_t n, const Tensor& x) {
  Shape shape = x.shape();
  shape.set_dim(d, n);
  const int64_t outer = Product(shape, 0, d), inner = Product(shape, d + 1, shape.rank());
  const int64_t x_row = x.dim(d) * inner, y_row = n * inner;
  RAMET_ASSIGN_OR_RETURN(Tensor sum, c.AllocateTemp(x.dtype(), shape));
  RAMET_RETURN_IF_ERROR(math.Copy(x, m.before[d] * inner, std::array{x_row, inner, int64_t{1}}, sum,
                                  0, std::array{y_row, inner, int64_t{1}},
                                  std::array{outer, n, inner}));
  for (const bool is_after : {false, true}) {
    const int64_t count = is_after ? m.after[d] : m.before[d];
    if (count == 0) continue;
    const int64_t first = is_after ? m.before[d] + n : 0;
    RAMET_ASSIGN_OR_RETURN(Tensor part, c.AllocateTemp(x.dtype(), shape));
    RAMET_RETURN_IF_ERROR(math.SetZeros(part));
    RAMET_RETURN_IF_ERROR(math.Copy(
        x, first * inner, std::array{x_row, inner, int64_t{1}}, part, m.Source(d, n, first) * inner,
        std::array{y_row, -inner, int64_t{1}}, std::array{outer, count, inner}));
    RAMET_RETURN_IF_ERROR(math.AddRepeated(sum, part, 1, sum));
  }
  return sum;
}

// Computes the gradient on a device, in one dimension after the other.
Status FoldOnDevice(KernelContext& c, const DeviceMath& math, const Mirror& m, const Tensor& x,
                    Tensor& y) {
  Tensor folded = x;
  for (int d = 0; d < x.rank(); ++d) {
    if (y.dim(d) == x.dim(d)) continue;
    RAMET_ASSIGN_OR_RETURN(folded, FoldDimension(c, math, m, d, y.dim(d), folded));
  }
  return CopyAll(folded, y);
}

template <Status (*compute)(KernelContext&, int64_t)>
class MirrorKernel final : public Kernel {
 public:
  explicit MirrorKernel(int64_t offset) : offset_(offset) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<MirrorKernel>(MirrorOffset(*node.attrs)));
  }
  Status Compute(KernelContext& c) override { return compute(c, offset_); }

 private:
  const int64_t offset_;
};

Status MirrorPad(KernelContext& c, int64_t offset) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Mirror m, ReadMirror(c.input(1), offset, x.shape()));
  RAMET_ASSIGN_OR_RETURN(Shape shape, MirroredShape(m, x.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
  return MirrorElements(m, x, *y);
}

template <class T>
Status MirrorPadGrad(KernelContext& c, int64_t offset) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Mirror m, ReadMirror(c.input(1), offset, x.shape()));
  RAMET_ASSIGN_OR_RETURN(Shape shape, CroppedShape(m, x.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
  if (const DeviceMath* math = DeviceMath::Of(*y)) return FoldOnDevice(c, *math, m, x, *y);
  RAMET_RETURN_IF_ERROR(FillZeros(*y));
  const T* from = x.data<T>();
  T* to = y->mutable_data<T>();
  ForMirrored(m, x.shape(), shape,
              [&](int64_t i, int64_t at) { to[at] = WrappingAdd(to[at], from[i]); });
  return OkStatus();
}

template <class T>
using MirrorGradKernel = MirrorKernel<MirrorPadGrad<T>>;

template <bool kGrad>
Status MirrorShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape matrix, c.WithRank(1, 2));
  const Shape& x = c.input(0);
  const Tensor* known = c.constant(1);
  if (x.unknown_rank() || known == nullptr) {
    const int64_t rank = x.unknown_rank() ? matrix.dim(0) : x.rank();
    if (rank >= 0 && rank <= Shape::kMaxRank) {
      c.set_output(0, Shape::OfRank(static_cast<int>(rank)));
    }
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Mirror m, ReadMirror(*known, MirrorOffset(c.attrs()), x));
  RAMET_ASSIGN_OR_RETURN(Shape shape, (kGrad ? CroppedShape : MirroredShape)(m, x));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status OtherWay(GradientContext& c, std::string_view op) {
  RAMET_ASSIGN_OR_RETURN(std::string mode, c.attr<std::string>("mode"));
  Output grad = c.grad();
  return c.Return({c.Add(op, {grad, c.input(1)}, {{"mode", mode}}), Gradient()});
}

}  // namespace

RAMET_OP("MirrorPad")
    .Foldable()
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .Doc(
        "Returns `input` padded in each dimension i with paddings[i, 0] elements before and "
        "paddings[i, 1] elements after, which mirror the input without its outermost element "
        "(REFLECT) or with it (SYMMETRIC). `paddings` is [rank, 2]. Error: `paddings` has a "
        "different shape or a negative element; a padding is larger than the dimension (or, with "
        "REFLECT, as large).")
    .HostMemory({"paddings"})
    .Shape(MirrorShape<false>)
    .Gradient([](GradientContext& c) { return OtherWay(c, "MirrorPadGrad"); })
    .CpuKernelClass<MirrorKernel<MirrorPad>>();

RAMET_OP("MirrorPadGrad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .Doc(
        "Returns the gradient of MirrorPad with the same paddings: each padding element is added "
        "to the element that it mirrors. Error: the same as MirrorPad.")
    .HostMemory({"paddings"})
    .Shape(MirrorShape<true>)
    .Gradient([](GradientContext& c) { return OtherWay(c, "MirrorPad"); })
    .CpuKernelClasses<MirrorGradKernel, RAMET_NUMBERS>();

}  // namespace ramet
