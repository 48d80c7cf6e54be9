#include <limits>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/shape_fn.h"

namespace ramet {
namespace {

template <class T>
Status OutputShapeOf(KernelContext& c, int i, const Shape& shape) {
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(i, DTypeOf<T>::value, Shape{shape.rank()}));
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) > std::numeric_limits<T>::max()) {
      return InvalidArgument("Shape output type is 32-bit but dim ", d, " is ", shape.dim(d),
                             "; pass out_type=int64");
    }
    y->mutable_data<T>()[d] = static_cast<T>(shape.dim(d));
  }
  return OkStatus();
}

constexpr auto kShape = []<class T>(KernelContext& c) -> Status {
  for (int i = 0; i < c.num_inputs(); ++i) {
    RAMET_RETURN_IF_ERROR(OutputShapeOf<T>(c, i, c.input(i).shape()));
  }
  return OkStatus();
};

constexpr auto kSize = []<class T>(KernelContext& c) -> Status {
  const int64_t size = c.input(0).num_elements();
  if (size > std::numeric_limits<T>::max()) {
    return InvalidArgument(
        "Number of elements was larger than representable by 32-bit output type: ", size,
        "; pass out_type=int64");
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<T>::value, Shape()));
  *y->mutable_data<T>() = static_cast<T>(size);
  return OkStatus();
};

Status Rank(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kInt32, Shape()));
  *y->mutable_data<int32_t>() = c.input(0).rank();
  return OkStatus();
}

Status ShapesShape(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, c.input(i).unknown_rank() ? Shape::OfRank(1) : Shape{c.input(i).rank()});
  }
  return OkStatus();
}

// Returns the size that Reshape substitutes for -1 if the product of the other sizes is `known`. If
// both shapes have sizes of 0, these are ignored.
StatusOr<int64_t> MissingSize(const Shape& x, int64_t known, bool zeros_known) {
  int64_t n = 1;
  bool skipped = false;
  for (int64_t d : x.dims()) {
    if (d == 0 && zeros_known) {
      skipped = true;
    } else {
      n *= d;
    }
  }
  if (n % known == 0 || skipped) return n / known;
  return InvalidArgument("Input to reshape is a tensor with ", n,
                         " values, but the requested shape requires a multiple of ", known);
}

StatusOr<Shape> RequestedShape(const Tensor& x, const Tensor& sizes_tensor) {
  if (sizes_tensor.rank() > 1) {
    return InvalidArgument("sizes input must be 1-D, not ", sizes_tensor.shape());
  }
  // A fed scalar is one size, as in TensorFlow.
  RAMET_ASSIGN_OR_RETURN(
      Dims sizes,
      VectorArg(sizes_tensor.rank() == 0 ? sizes_tensor.Reshaped(Shape{1}) : sizes_tensor,
                "sizes input"));
  int missing = -1;
  int64_t known = 1;
  bool zeros = false;
  for (int i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (missing >= 0) {
        return InvalidArgument("Only one input size may be -1, not both ", missing, " and ", i);
      }
      missing = i;
    } else if (sizes[i] < 0) {
      return InvalidArgument("Size ", i, " must be non-negative, not ", sizes[i]);
    } else if (sizes[i] == 0) {
      zeros = true;
    } else if (!MultiplyNonNegative(known, sizes[i], &known)) {
      return InvalidArgument("The number of elements of shape [", StrJoin(sizes, ","),
                             "] overflows a 64-bit integer");
    }
  }
  if (missing >= 0) {
    RAMET_ASSIGN_OR_RETURN(sizes[missing], MissingSize(x.shape(), known, zeros));
  }
  RAMET_ASSIGN_OR_RETURN(Shape shape, Shape::Make(sizes));
  if (shape.num_elements() == x.num_elements()) return shape;
  return InvalidArgument("Input to reshape is a tensor with ", x.num_elements(),
                         " values, but the requested shape has ", shape.num_elements(), " (shape ",
                         shape, ")");
}

Status Reshape(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, RequestedShape(c.input(0), c.input(1)));
  c.SetOutput(0, c.input(0).Reshaped(std::move(shape)));
  return OkStatus();
}

// Returns the number of elements, or -1 if it is not known. A single size of 0 decides it.
int64_t KnownElements(const Shape& x) {
  return std::ranges::count(x.dims(), 0) > 0 ? 0 : x.num_elements();
}

Status ReshapeShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.constant_as_shape(1));
  const int64_t n = KnownElements(c.input(0));
  if (n >= 0 && !shape.unknown_rank()) {
    int unknown = -1, unknowns = 0;
    int64_t known = 1;
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape.dim(i) < 0) {
        unknown = i, ++unknowns;
      } else if (!MultiplyNonNegative(known, shape.dim(i), &known)) {
        return InvalidArgument("The number of elements of shape ", shape, " overflows");
      }
    }
    if (unknowns == 0 && known != n) {
      return InvalidArgument("Cannot reshape a tensor with ", n, " elements to shape ", shape, " (",
                             known, " elements)");
    }
    if (unknowns == 1 && known > 0) {
      if (n % known != 0) {
        return InvalidArgument("Dimension size must be evenly divisible by ", known, " but is ", n,
                               " (reshaping ", c.input(0), " to ", shape, ")");
      }
      shape.set_dim(unknown, n / known);
    }
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status ReshapeGradient(GradientContext& c) {
  const Shape shape = c.input(0).shape();
  const int unknowns = static_cast<int>(std::ranges::count(shape.dims(), Shape::kUnknownDim));
  const bool empty = std::ranges::count(shape.dims(), 0) > 0;
  if (shape.unknown_rank() || unknowns != 1 || empty) {
    return c.Return({ReshapeLike(c, c.grad(), c.input(0)), Gradient()});
  }
  Tensor sizes(DType::kInt32, Shape{shape.rank()});
  for (int i = 0; i < shape.rank(); ++i) {
    sizes.mutable_data<int32_t>()[i] = static_cast<int32_t>(shape.dim(i));
  }
  return c.Return({c.Add("Reshape", {c.grad(), sizes}), Gradient()});
}

Status ReshapeToInputGradient(GradientContext& c) {
  std::vector<Gradient> grads(c.num_inputs());
  grads[0] = ReshapeLike(c, c.grad(), c.input(0));
  return c.Return(std::move(grads));
}

// Returns `shape` with a dimension of size 1 inserted at `axis`.
StatusOr<Shape> Expanded(const Shape& shape, int64_t axis) {
  if (axis < -1 - shape.rank() || axis > shape.rank()) {
    return InvalidArgument("Tried to expand dim index ", axis, " for tensor with ", shape.rank(),
                           " dimensions.");
  }
  const int at = static_cast<int>(axis < 0 ? axis + shape.rank() + 1 : axis);
  return Shape::Make(
      shape.Slice(0, at).Concatenate(Shape{1}).Concatenate(shape.Slice(at, shape.rank())).dims());
}

Status CheckSingleDim(const Tensor& dim) {
  if (dim.num_elements() == 1) return OkStatus();
  return InvalidArgument("'dim' must be a tensor with a single value");
}

Status ExpandDims(KernelContext& c) {
  RAMET_RETURN_IF_ERROR(CheckSingleDim(c.input(1)));
  RAMET_ASSIGN_OR_RETURN(Shape shape, Expanded(c.input(0).shape(), IntegerAt(c.input(1), 0)));
  c.SetOutput(0, c.input(0).Reshaped(std::move(shape)));
  return OkStatus();
}

Status ExpandDimsShape(ShapeContext& c) {
  if (const Tensor* dim = c.constant(1)) RAMET_RETURN_IF_ERROR(CheckSingleDim(*dim));
  const Shape& x = c.input(0);
  if (x.unknown_rank()) return OkStatus();
  auto axis = KnownScalar(c, 1);
  if (!axis) {
    c.set_output(0, Shape::OfRank(x.rank() + 1));
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Shape shape, Expanded(x, *axis));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// Returns `shape` without the dimensions in `axes`, or, if there are none, without all dimensions
// of size 1. An unknown dimension in `axes` is assumed to be 1; if `axes` is empty, an unknown
// dimension makes the rank unknown.
StatusOr<Shape> Squeezed(const Shape& shape, std::span<const int64_t> axes) {
  Dims drop(shape.rank(), 0);
  for (int64_t axis : axes) {
    if (axis < -shape.rank() || axis >= shape.rank()) {
      return InvalidArgument("Tried to squeeze dim index ", axis, " for tensor with ", shape.rank(),
                             " dimensions.");
    }
    drop[static_cast<int>(axis < 0 ? axis + shape.rank() : axis)] = 1;
  }
  Shape squeezed;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t d = shape.dim(i);
    if (axes.empty() && d < 0) return Shape::Unknown();
    if (axes.empty() && d == 1) continue;
    if (drop[i] == 0) {
      squeezed.Append(d);
    } else if (d > 1 || d == 0) {
      return InvalidArgument("Can not squeeze dim[", i, "], expected a dimension of 1, got ", d);
    }
  }
  return squeezed;
}

class SqueezeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::make_unique<SqueezeKernel>(
        node.attrs->GetOr<std::vector<int64_t>>("squeeze_dims", {}));
  }
  explicit SqueezeKernel(std::vector<int64_t> axes) : axes_(std::move(axes)) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(Shape shape, Squeezed(c.input(0).shape(), axes_));
    c.SetOutput(0, c.input(0).Reshaped(std::move(shape)));
    return OkStatus();
  }

 private:
  const std::vector<int64_t> axes_;
};

Status SqueezeShape(ShapeContext& c) {
  if (c.input(0).unknown_rank()) return OkStatus();
  const auto axes = c.attrs().GetOr<std::vector<int64_t>>("squeeze_dims", {});
  RAMET_ASSIGN_OR_RETURN(Shape shape, Squeezed(c.input(0), axes));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace

RAMET_OP("Shape")
    .Foldable()
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .Doc("Returns the shape of `input` as a vector. Error: a dimension does not fit in out_type.")
    .HostMemory({"output"})
    .Shape(ShapesShape)
    .NotDifferentiable()
    .CpuKernels<int32_t, int64_t>(kShape, "out_type");

RAMET_OP("ShapeN")
    .Foldable()
    .Input("input: N * T")
    .Output("output: N * out_type")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .Doc(
        "Returns the shape of each input as a vector. Error: a dimension does not fit in out_type.")
    .HostMemory({"output"})
    .Shape(ShapesShape)
    .NotDifferentiable()
    .CpuKernels<int32_t, int64_t>(kShape, "out_type");

RAMET_OP("Size")
    .Foldable()
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .Doc(
        "Returns the number of elements of `input`, a scalar. Error: the number does not fit in "
        "out_type.")
    .HostMemory({"output"})
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernels<int32_t, int64_t>(kSize, "out_type");

RAMET_OP("Rank")
    .Foldable()
    .Input("input: T")
    .Output("output: int32")
    .Attr("T: type")
    .Doc("Returns the number of dimensions of `input`, a scalar.")
    .HostMemory({"output"})
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernel(Rank);

RAMET_OP("Reshape")
    .Foldable()
    .Input("tensor: T")
    .Input("shape: Tshape")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Doc(
        "Returns the elements of `tensor` in the shape `shape`, a vector. One size may be -1; it "
        "is then computed from the number of elements. Error: the numbers of elements differ; more "
        "than one size is -1; a size is less than -1; `shape` is not a vector.")
    .HostMemory({"shape"})
    .Shape(ReshapeShape)
    .Gradient(ReshapeGradient)
    .CpuKernel(Reshape);

RAMET_OP("ExpandDims")
    .Foldable()
    .Input("input: T")
    .Input("dim: Tdim")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tdim: {int32, int64} = DT_INT32")
    .Doc(
        "Returns `input` with a dimension of size 1 inserted at index `dim`, a scalar in [-1 - "
        "rank, rank]. Error: `dim` is not a scalar or is out of range.")
    .HostMemory({"dim"})
    .Shape(ExpandDimsShape)
    .Gradient(ReshapeToInputGradient)
    .CpuKernel(ExpandDims);

RAMET_OP("Squeeze")
    .Foldable()
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("squeeze_dims: list(int) >= 0 = []")
    .Doc(
        "Returns `input` without the dimensions squeeze_dims, each of which must have size 1. An "
        "empty list removes all dimensions of size 1. Error: one of the dimensions does not have "
        "size 1 or is out of range.")
    .Shape(SqueezeShape)
    .Gradient(ReshapeToInputGradient)
    .CpuKernelClass<SqueezeKernel>();

}  // namespace ramet
