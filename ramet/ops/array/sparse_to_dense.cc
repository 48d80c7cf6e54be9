#include <numeric>

#include "ramet/op/op.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/math/gradient_util.h"

namespace ramet {
namespace {

// The number of indices, and the number of coordinates of each.
struct Sizes {
  int64_t count, depth;
};

StatusOr<Sizes> CheckShapes(const Tensor& indices, const Tensor& shape, const Tensor& values,
                            const Tensor& default_value) {
  if (indices.rank() > 2) {
    return InvalidArgument("sparse_indices should be a scalar, vector, or matrix, got shape ",
                           indices.shape());
  }
  const Sizes sizes = {indices.rank() > 0 ? indices.dim(0) : 1,
                       indices.rank() > 1 ? indices.dim(1) : 1};
  if (shape.rank() != 1) {
    return InvalidArgument("output_shape must be rank 1, got shape ", shape.shape());
  }
  if (shape.dim(0) != sizes.depth) {
    return InvalidArgument("output_shape has incorrect number of elements: ", shape.dim(0),
                           " should be: ", sizes.depth);
  }
  if (values.rank() != 0 && values.shape() != Shape{sizes.count}) {
    return InvalidArgument("sparse_values has incorrect shape ", values.shape(),
                           ", should be [] or [", sizes.count, "]");
  }
  if (default_value.rank() != 0) {
    return InvalidArgument("default_value should be a scalar: ", default_value.shape());
  }
  return sizes;
}

std::string IndexText(const Tensor& indices, const Sizes& sizes, int64_t i) {
  std::string text = StrCat("indices[", i, "] = [");
  for (int64_t d = 0; d < sizes.depth; ++d) {
    text += StrCat(d > 0 ? "," : "", IntegerAt(indices, i * sizes.depth + d));
  }
  return text + "]";
}

class SparseToDenseKernel final : public Kernel {
 public:
  explicit SparseToDenseKernel(bool validate) : validate_(validate) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(
        std::make_unique<SparseToDenseKernel>(node.attrs->GetOr("validate_indices", true)));
  }

  Status Compute(KernelContext& c) override {
    const Tensor &indices = c.input(0), &values = c.input(2);
    RAMET_ASSIGN_OR_RETURN(Sizes sizes, CheckShapes(indices, c.input(1), values, c.input(3)));
    RAMET_ASSIGN_OR_RETURN(Shape shape, ShapeArg(c.input(1), "output_shape"));
    // Indices without coordinates all name the only element.
    if (sizes.depth == 0 && values.rank() == 0) sizes.count = std::min<int64_t>(sizes.count, 2);
    RAMET_RETURN_IF_ERROR(CheckIndices(indices, sizes, shape));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, values.dtype(), shape));
    if (y->num_elements() > 0) RAMET_RETURN_IF_ERROR(FillWith(c.input(3), *y));
    for (int64_t i = 0; i < sizes.count; ++i) {
      CopyElements(values, values.rank() == 0 ? 0 : i, *y, OffsetOf(indices, sizes, shape, i), 1);
    }
    return OkStatus();
  }

 private:
  // Returns the element that index i names, or -1 if it is out of bounds.
  static int64_t OffsetOf(const Tensor& indices, const Sizes& sizes, const Shape& shape,
                          int64_t i) {
    int64_t at = 0;
    for (int d = 0; d < shape.rank(); ++d) {
      const int64_t index = IntegerAt(indices, i * sizes.depth + d);
      if (index < 0 || index >= shape.dim(d)) return -1;
      at = at * shape.dim(d) + index;
    }
    return at;
  }

  Status CheckIndices(const Tensor& indices, const Sizes& sizes, const Shape& shape) const {
    int64_t before = -1;
    for (int64_t i = 0; i < sizes.count; ++i) {
      const int64_t at = OffsetOf(indices, sizes, shape, i);
      if (at < 0) {
        return InvalidArgument(IndexText(indices, sizes, i),
                               " is out of bounds: need 0 <= index < ", shape);
      }
      if (validate_ && at <= before) {
        return InvalidArgument(IndexText(indices, sizes, i),
                               at == before ? " is repeated"
                                            : " is out of order. Many sparse ops require sorted "
                                              "indices.\n    Use `tf.sparse.reorder` to create a "
                                              "correctly ordered copy.");
      }
      before = at;
    }
    return OkStatus();
  }

  const bool validate_;
};

std::vector<int64_t> AllAxes(int rank) {
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

// The gradient of the values is the gradient at their positions; the gradient of the default value
// is the sum of the rest.
Status SparseToDenseGradient(GradientContext& c) {
  const Output grad = c.grad(), indices = c.input(0);
  const Output values = c.Add("GatherNd", {grad, indices});
  const auto sum = [&](const Output& x) {
    return c.Add("Sum", {x, x.shape().rank() >= 0 ? Int32Vector(c, AllAxes(x.shape().rank()))
                                                  : RangeTo(c, RankOf(c, x))});
  };
  const Output rest = c.Add("Sub", {sum(grad), sum(values)}, {}, "sub");
  return c.Return({Gradient(), Gradient(), values, rest});
}

}  // namespace

RAMET_OP("SparseToDense")
    .Input("sparse_indices: Tindices")
    .Input("output_shape: Tindices")
    .Input("sparse_values: T")
    .Input("default_value: T")
    .Output("dense: T")
    .Attr("validate_indices: bool = true")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Doc(
        "Returns a tensor of shape output_shape with sparse_values at sparse_indices and "
        "default_value elsewhere. sparse_values is [n] or a scalar; sparse_indices is [n, rank], "
        "or [n] or a scalar for rank 1. Error: the shapes do not fit together; an index is out of "
        "bounds; with validate_indices, the indices are not sorted or not distinct.")
    .HostMemory({"output_shape"})
    .Shape(ShapeFromInput<1>)
    .Gradient(SparseToDenseGradient)
    .CpuKernelClass<SparseToDenseKernel>();

}  // namespace ramet
