#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/reduce.h"
#include "ramet/ops/math/types.h"

// The gradients of reductions. Shapes and axes that are known when the graph is built become
// constants.

namespace ramet {
namespace {

// Returns the shape that the output would have with keep_dims, or an unknown shape if it cannot be
// inferred.
Shape KeptShape(const Shape& x, const Tensor& axes) {
  if (x.unknown_rank() || axes.empty()) return Shape::Unknown();
  auto dims = ReducedDimsOf(axes, x.rank());
  return dims.ok() ? ReducedShape(x, *dims, true) : Shape::Unknown();
}

// Adds nodes that compute the same shape when the graph runs: `x_shape` with 1 at the axes.
Output KeptShapeOf(GradientContext& c, const Output& x_shape) {
  Output axes = Cast(c, c.input(1), kInt32);
  Output rank = SizeOf(c, x_shape);
  Output whole = c.Add("AddV2", {axes, rank}, {}, "add");
  Output positive = c.Add("FloorMod", {whole, rank}, {}, "mod");
  Output axes_shape = ShapeOf(c, positive);
  Output all = RangeTo(c, rank);
  Output one = Constant(c.graph(), Tensor(int32_t{1}), "ones/Const");
  Output ones = c.Add("Fill", {axes_shape, one}, {}, "ones");
  return c.Add("DynamicStitch", {all, positive, x_shape, ones}, {{"N", 2}});
}

bool KeepsDims(GradientContext& c) { return c.attr<bool>("keep_dims").value_or(false); }

// Reports whether the axes are 0, 1, ... rank - 1.
bool AllAxes(const Tensor& axes, int rank) {
  if (axes.rank() != 1 || axes.num_elements() != rank) return false;
  for (int i = 0; i < rank; ++i) {
    if (IntegerAt(axes, i) != i) return false;
  }
  return true;
}

// Returns how often the elements along each dimension are repeated to get from shape `kept` to
// shape `x`.
std::vector<int64_t> Multiples(const Shape& x, const Shape& kept) {
  std::vector<int64_t> multiples;
  for (int d = 0; d < x.rank(); ++d) {
    multiples.push_back(x.dim(d) / std::max<int64_t>(kept.dim(d), 1));
  }
  return multiples;
}

// Returns the gradient repeated along the reduced dimensions.
Output Repeated(GradientContext& c) {
  Output x = c.input(0), grad = c.grad();
  const Shape shape = x.shape();
  const Tensor axes = ConstantValue(c.input(1));
  const Shape kept = KeptShape(shape, axes);
  if (!kept.unknown_rank() && AllAxes(axes, shape.rank())) {
    Output ones = Reshape(c, grad, kept.dims());
    Output to = shape.IsFullyDefined() ? Int32Vector(c, shape.dims()) : ShapeOf(c, x);
    return c.Add("Tile", {ones, to});
  }
  if (kept.IsFullyDefined() && shape.IsFullyDefined()) {
    Output reshaped = Reshape(c, grad, kept.dims());
    const std::vector<int64_t> multiples = Multiples(shape, kept);
    return c.Add("Tile",
                 {reshaped, Input(Tensor::Vector<int32_t>({multiples.begin(), multiples.end()}))});
  }
  Output x_shape = ShapeOf(c, x);
  if (!KeepsDims(c)) grad = Reshape(c, grad, KeptShapeOf(c, x_shape));
  return c.Add("BroadcastTo", {grad, x_shape});
}

// Returns the product of all elements of a vector.
Output ProductOf(GradientContext& c, const Output& vector) {
  Output axes = vector.shape().rank() > 0 ? Int32Vector(c, std::vector<int64_t>{0})
                                          : RangeTo(c, RankOf(c, vector));
  return c.Add("Prod", {vector, axes});
}

// Returns the number of input elements that make up each output element, in the dtype of the
// gradient.
Output ReducedCount(GradientContext& c, DType type) {
  const int64_t in = c.input(0).shape().num_elements();
  const int64_t out = c.output().shape().num_elements();
  if (in >= 0 && out >= 0) return ScalarLike(c, type, in / std::max<int64_t>(out, 1));
  Output shape = ShapeOf(c, c.input(0));
  Output axes = Cast(c, c.input(1), kInt32);
  Output rank = SizeOf(c, shape);
  Output whole = c.Add("AddV2", {axes, rank}, {}, "add");
  Output positive = c.Add("FloorMod", {whole, rank}, {}, "mod");
  Output sizes = c.Add("GatherV2", {shape, positive, 0});
  return c.Add("Cast", {ProductOf(c, sizes)}, {{"DstT", type}});
}

}  // namespace

Status SumGradient(GradientContext& c) { return c.Return({Repeated(c), Gradient()}); }

Status MeanGradient(GradientContext& c) {
  Output sum_grad = Repeated(c);
  Output count = ReducedCount(c, BaseType(c.input(0).dtype()));
  return c.Return({sum_grad / count, Gradient()});
}

Status MinOrMaxGradient(GradientContext& c) {
  Output x = c.input(0), y = c.output(), grad = c.grad();
  Output x_shape = ShapeOf(c, x);
  const Shape kept = KeptShape(x.shape(), ConstantValue(c.input(1)));
  const bool keep = KeepsDims(c);
  Output kept_shape;
  if (keep) {
    kept_shape = ShapeOf(c, y);
  } else if (!kept.IsFullyDefined() || !x.shape().IsFullyDefined()) {
    kept_shape = KeptShapeOf(c, x_shape);
  }
  auto reshaped = [&](Output t) {
    return kept_shape.valid() ? Reshape(c, t, kept_shape) : Reshape(c, t, kept.dims());
  };
  if (!keep) {
    y = reshaped(y);
    grad = reshaped(grad);
  }
  Output chosen = c.Add("Equal", {y, x});
  Output ones = c.Add("Cast", {chosen}, {{"DstT", BaseType(x.dtype())}});
  Output count = reshaped(c.Add("Sum", {ones, c.input(1)}));
  Output shares = ones / count;
  return c.Return({shares * grad, Gradient()});
}

// The slope of each element is the product of all others. It is computed from the products of the
// elements before and after it, along a first dimension that combines all reduced ones.
Status ProdGradient(GradientContext& c) {
  Output x = c.input(0), grad = c.grad();
  Output x_shape = ShapeOf(c, x);
  Output axes = Cast(c, c.input(1), kInt32);
  axes = Reshape(c, axes, std::vector<int64_t>{-1});
  if (!KeepsDims(c)) {
    const Shape kept = KeptShape(x.shape(), ConstantValue(c.input(1)));
    const bool known = kept.IsFullyDefined() && x.shape().IsFullyDefined();
    grad = known ? Reshape(c, grad, kept.dims()) : Reshape(c, grad, KeptShapeOf(c, x_shape));
  }
  grad = c.Add("BroadcastTo", {grad, x_shape});

  Output rank = RankOf(c, x);
  Output whole = c.Add("AddV2", {axes, rank}, {}, "add");
  Output reduced = c.Add("FloorMod", {whole, rank}, {}, "mod");
  Operation others = c.AddOperation("ListDiff", {RangeTo(c, rank), reduced});
  if (!others.valid()) return NoGradient(c);
  Output order = c.Add("ConcatV2", {reduced, others.output(0), 0}, {{"N", 2}}, "concat");
  Output rows = ProductOf(c, c.Add("GatherV2", {x_shape, reduced, 0}));
  Output columns = ProductOf(c, c.Add("GatherV2", {x_shape, others.output(0), 0}));
  Output moved = c.Add("Transpose", {x, order}, {}, "transpose");
  Output moved_shape = ShapeOf(c, moved);
  Output matrix_shape =
      c.Add("Pack", {rows, columns}, {{"N", 2}}, ArgumentName(c, "Reshape", "shape"));
  Output matrix = Reshape(c, moved, matrix_shape);
  Output before = c.Add("Cumprod", {matrix, 0}, {{"exclusive", true}});
  Output after = c.Add("Cumprod", {matrix, 0}, {{"exclusive", true}, {"reverse", true}});
  before = Conj(c, before);
  Output product = Reshape(c, before * Conj(c, after), moved_shape);
  Output back = c.Add("InvertPermutation", {order});
  Output slope = c.Add("Transpose", {product, back}, {}, "transpose");
  Output x_grad = grad * slope;
  return c.Return({Reshape(c, x_grad, x_shape), Gradient()});
}

// Returns x / (y / grad), where y and grad are reshaped to the shape that keep_dims would give
// them.
Status EuclideanNormGradient(GradientContext& c) {
  Output x = c.input(0), y = c.output(), grad = c.grad();
  if (!KeepsDims(c)) {
    const Shape kept = KeptShape(x.shape(), ConstantValue(c.input(1)));
    Output x_shape = ShapeOf(c, x);
    Output kept_shape;
    if (!kept.IsFullyDefined()) kept_shape = KeptShapeOf(c, x_shape);
    for (Output* t : {&y, &grad}) {
      *t = kept_shape.valid() ? Reshape(c, *t, kept_shape) : Reshape(c, *t, kept.dims());
    }
  }
  Output scale = y / grad;
  return c.Return({x / scale, Gradient()});
}

}  // namespace ramet
