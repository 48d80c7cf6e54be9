#include "ramet/ops/array/concat_shape.h"

#include "ramet/graph/control_flow_context.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"

namespace ramet {
namespace {

// Returns the shape of `n` tensors concatenated along `axis`; dimensions may be unknown.
template <class ShapeAt>
StatusOr<Shape> JoinedShape(int n, ShapeAt&& shape_at, int axis) {
  Shape joined = shape_at(0);
  for (int i = 1; i < n; ++i) {
    const Shape& next = shape_at(i);
    if (next.rank() != joined.rank()) {
      return InvalidArgument("ConcatOp : Ranks of all input tensors should match: shape[0] = ",
                             shape_at(0), " vs. shape[", i, "] = ", next);
    }
    for (int d = 0; d < joined.rank(); ++d) {
      if (d == axis) {
        int64_t sum;
        if (__builtin_add_overflow(joined.dim(d), next.dim(d), &sum)) {
          return InvalidArgument("ConcatOp : Dimension ", d, " of ", n,
                                 " tensors overflows a 64-bit integer: shape[", i, "] = ", next);
        }
        const bool known = joined.dim(d) >= 0 && next.dim(d) >= 0;
        joined.set_dim(d, known ? sum : Shape::kUnknownDim);
      } else if (joined.dim(d) < 0) {
        joined.set_dim(d, next.dim(d));
      } else if (next.dim(d) >= 0 && next.dim(d) != joined.dim(d)) {
        return InvalidArgument("ConcatOp : Dimension ", d,
                               " in both shapes must be equal: shape[0] = ", shape_at(0),
                               " vs. shape[", i, "] = ", next);
      }
    }
  }
  return joined;
}

template <bool v2>
ConcatArgs ArgsOf(int num_inputs) {
  return v2 ? ConcatArgs{num_inputs - 1, 0, num_inputs - 1} : ConcatArgs{0, 1, num_inputs - 1};
}

StatusOr<int> ConcatAxis(int64_t axis, int rank) {
  if (axis >= -rank && axis < rank) return static_cast<int>(axis < 0 ? axis + rank : axis);
  return InvalidArgument("ConcatOp : Expected concatenating dimensions in the range [", -rank, ", ",
                         rank, "), but got ", axis);
}

template <bool v2>
Status Concat(KernelContext& c) {
  const ConcatArgs args = ArgsOf<v2>(c.num_inputs());
  RAMET_ASSIGN_OR_RETURN(int64_t asked, ScalarArg(c.input(args.axis_input), "concat axis"));
  const Tensor& first = c.input(args.first);
  RAMET_ASSIGN_OR_RETURN(int axis, ConcatAxis(asked, first.rank()));
  RAMET_ASSIGN_OR_RETURN(
      Shape shape,
      JoinedShape(
          args.n, [&](int i) -> const Shape& { return c.input(args.first + i).shape(); }, axis));
  RAMET_ASSIGN_OR_RETURN(shape, Shape::Make(shape.dims()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, first.dtype(), shape));
  const int64_t outer = Product(shape, 0, axis);
  const int64_t row = Product(shape, axis, shape.rank());
  int64_t offset = 0;
  for (int i = args.first; i < args.first + args.n; ++i) {
    const int64_t piece = Product(c.input(i).shape(), axis, shape.rank());
    const int64_t dims[] = {outer, piece}, from[] = {piece, 1}, to[] = {row, 1};
    RAMET_RETURN_IF_ERROR(MoveStrided(c.input(i), 0, from, *y, offset, to, dims));
    offset += piece;
  }
  return OkStatus();
}

}  // namespace

Status InferConcatShape(ShapeContext& c, const ConcatArgs& args) {
  RAMET_RETURN_IF_ERROR(c.WithRank(args.axis_input, 0).status());
  int rank = -1;
  for (int i = 0; i < args.n; ++i) {
    const int r = c.input(args.first + i).rank();
    if (r < 0) continue;
    if (rank >= 0 && r != rank) {
      return InvalidArgument("Ranks of all input tensors should match: ", rank, " and ", r,
                             " (input ", i, ")");
    }
    rank = r;
  }
  if (rank < 0) return OkStatus();
  if (rank == 0) {
    return InvalidArgument("Can't concatenate scalars (use tf.stack instead)");
  }
  std::vector<Shape> shapes;
  for (int i = 0; i < args.n; ++i) {
    const Shape& s = c.input(args.first + i);
    shapes.push_back(s.unknown_rank() ? Shape::OfRank(rank) : s);
  }
  auto asked = KnownScalar(c, args.axis_input);
  if (!asked) {
    c.set_output(0, Shape::OfRank(rank));
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(int axis, ConcatAxis(*asked, rank));
  RAMET_ASSIGN_OR_RETURN(Shape shape,
                         JoinedShape(
                             args.n, [&](int i) -> const Shape& { return shapes[i]; }, axis));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

namespace {

template <bool v2>
Status ConcatShape(ShapeContext& c) {
  return InferConcatShape(c, ArgsOf<v2>(c.num_inputs()));
}

// Returns the shapes of the concatenated values as tensors: constants if all are known, otherwise
// the outputs of ShapeN. The Shape op of the first value with an unknown shape then stays in the
// graph unused, as in TensorFlow.
std::vector<Output> ValueShapes(GradientContext& c, const std::vector<Input>& values) {
  std::vector<Output> shapes;
  for (const Input& v : values) {
    shapes.push_back(ShapeOf(c, v.output()));
    if (!v.output().shape().IsFullyDefined()) break;
  }
  if (values.back().output().shape().IsFullyDefined() && shapes.size() == values.size()) {
    return shapes;
  }
  shapes.clear();
  const Operation op =
      c.AddOperation("ShapeN", values, {{"N", static_cast<int64_t>(values.size())}});
  for (int i = 0; i < op.num_outputs(); ++i) shapes.push_back(op.output(i));
  return shapes;
}

// IndexedSlices hold whole rows. For a concatenation along an axis other than 0, each value gets
// some columns of every row.
std::vector<Gradient> SliceColumns(GradientContext& c, const Gradient& grad,
                                   const std::vector<Output>& shapes, const Output& axis) {
  const Operation offsets =
      c.AddOperation("ConcatOffset",
                     [&] {
                       std::vector<Input> inputs = {axis};
                       inputs.insert(inputs.end(), shapes.begin(), shapes.end());
                       return inputs;
                     }(),
                     {{"N", static_cast<int64_t>(shapes.size())}});
  std::vector<Gradient> grads;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Output size =
        ConcatVectors(c, {Tensor::Vector<int32_t>({-1}), SliceFrom(c, shapes[i], 1)});
    Gradient g = grad;
    g.values = c.Add("Slice", {grad.values, offsets.output(static_cast<int>(i)), size});
    g.dense_shape = shapes[i];
    grads.push_back(g);
  }
  return grads;
}

// For a concatenation along axis 0, each value gets the rows that lie within it.
std::vector<Gradient> SelectRows(GradientContext& c, const Gradient& grad,
                                 const std::vector<Output>& shapes) {
  std::vector<Gradient> grads;
  const DType type = grad.indices.dtype();
  Output start = c.Add("Cast", {Tensor(int32_t{0})}, {{"DstT", type}});
  for (const Output& shape : shapes) {
    const Output rows = c.Add("Cast", {ElementAt(c, shape, 0)}, {{"DstT", type}});
    const Output end = c.Add("AddV2", {start, rows}, {}, "add");
    const Output inside = c.Add("LogicalAnd", {c.Add("GreaterEqual", {grad.indices, start}),
                                               c.Add("Less", {grad.indices, end})});
    const Output which =
        c.Add("Squeeze", {c.Add("Where", {inside})}, {{"squeeze_dims", std::vector<int64_t>{1}}});
    const Tensor axis(int32_t{0});
    Gradient g;
    g.indices = c.Add("Sub", {c.Add("GatherV2", {grad.indices, which, axis}), start}, {}, "sub");
    g.values = c.Add("GatherV2", {grad.values, which, axis});
    g.dense_shape = shape;
    grads.push_back(g);
    start = end;
  }
  return grads;
}

std::vector<Gradient> CutDense(GradientContext& c, const std::vector<Output>& shapes,
                               const Output& axis) {
  std::vector<Input> inputs = {axis};
  inputs.insert(inputs.end(), shapes.begin(), shapes.end());
  const Operation offsets =
      c.AddOperation("ConcatOffset", inputs, {{"N", static_cast<int64_t>(shapes.size())}});
  std::vector<Gradient> grads;
  for (size_t i = 0; i < shapes.size(); ++i) {
    grads.push_back(c.Add("Slice", {c.grad(), offsets.output(static_cast<int>(i)), shapes[i]}));
  }
  return grads;
}

// Returns the axis for use in the control-flow context of the gradient. A constant axis from a
// different branch or loop is copied there.
Output AxisBeside(GradientContext& c, const Output& axis) {
  const Operation grad = c.raw_grad().values.op();
  if (OutputContextOf(axis.op()) == OutputContextOf(grad)) return axis;
  const Tensor known = ConstantValue(axis);
  return known.empty() ? axis : Constant(c.graph(), known);
}

StatusOr<std::vector<Gradient>> CutGradient(GradientContext& c, const std::vector<Input>& values,
                                            const Output& forward_axis) {
  const Output asked_axis = AxisBeside(c, forward_axis);
  const Output rank = RankOf(c, values[0].output());
  const Output axis32 = asked_axis.dtype() == DType::kInt32
                            ? asked_axis
                            : c.Add("Cast", {asked_axis}, {{"DstT", DType::kInt32}});
  const Output axis = c.Add("FloorMod", {axis32, rank}, {}, "mod");
  const std::vector<Output> shapes = ValueShapes(c, values);
  if (!c.raw_grad().sparse()) return CutDense(c, shapes, axis);
  const Tensor known = ConstantValue(asked_axis);
  if (known.empty()) {
    return InvalidArgument("the gradient of '", c.op().name(),
                           "' is IndexedSlices, which can be split only along an axis that is a "
                           "constant in the graph");
  }
  int64_t where = IntegerAt(known, 0);
  if (where < 0) {
    const int values_rank = values[0].output().shape().rank();
    if (values_rank < 0) {
      return InvalidArgument("the gradient of '", c.op().name(),
                             "' is IndexedSlices, which can be split along a negative axis only if "
                             "the rank of the first value is known when the graph is built");
    }
    where += values_rank;
  }
  return where > 0 ? SliceColumns(c, c.raw_grad(), shapes, axis)
                   : SelectRows(c, c.raw_grad(), shapes);
}

template <bool v2>
Status ConcatGradient(GradientContext& c) {
  const ConcatArgs args = ArgsOf<v2>(c.num_inputs());
  std::vector<Gradient> grads;
  if (args.n == 1) {
    grads = {c.raw_grad()};
  } else {
    std::vector<Input> values;
    for (int i = 0; i < args.n; ++i) values.emplace_back(c.input(args.first + i));
    RAMET_ASSIGN_OR_RETURN(grads, CutGradient(c, values, c.input(args.axis_input)));
  }
  grads.insert(v2 ? grads.end() : grads.begin(), Gradient());
  return c.Return(std::move(grads));
}

constexpr auto kConcatOffset = []<class T>(KernelContext& c) -> Status {
  const int n = c.num_inputs() - 1;
  if (c.input(0).rank() != 0) {
    return InvalidArgument("Concat dim tensor should be a scalar integer, but got shape ",
                           c.input(0).shape());
  }
  for (int i = 0; i < n; ++i) {
    if (c.input(1 + i).rank() == 1) continue;
    return InvalidArgument("input ", i, " should be a vector, but got shape ",
                           c.input(1 + i).shape());
  }
  RAMET_ASSIGN_OR_RETURN(Dims first, VectorArg(c.input(1), "shape"));
  const int64_t asked = IntegerAt(c.input(0), 0);
  const int64_t axis = asked < 0 ? asked + first.size() : asked;
  if (axis < 0 || axis >= first.size()) {
    return InvalidArgument("Concat dim is out of range: ", asked, " vs. ", first.size());
  }
  int64_t offset = 0;
  for (int i = 0; i < n; ++i) {
    RAMET_ASSIGN_OR_RETURN(Dims shape, VectorArg(c.input(1 + i), "shape"));
    if (shape.size() != first.size()) {
      return InvalidArgument("input ", i, " should contain ", first.size(), " elements, but got ",
                             shape.size());
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(i, DTypeOf<T>::value, Shape{shape.size()}));
    std::ranges::fill(y->mutable_flat<T>(), T{0});
    y->mutable_data<T>()[axis] = static_cast<T>(offset);
    for (int d = 0; d < shape.size(); ++d) {
      if (d != axis && shape[d] != first[d]) {
        return InvalidArgument("All dimensions except ", axis, " must match. Input ", i,
                               " has shape [", StrJoin(shape, " "),
                               "] and doesn't match input 0 with shape [", StrJoin(first, " "),
                               "].");
      }
    }
    offset += shape[axis];
  }
  return OkStatus();
};

Status ConcatOffsetShape(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(i + 1));
  return OkStatus();
}

StatusOr<Shape> WithDim(const Shape& shape, int at, int64_t size) {
  return Shape::Make(shape.Slice(0, at)
                         .Concatenate(Shape{size})
                         .Concatenate(shape.Slice(at, shape.rank()))
                         .dims());
}

class PackKernel final : public Kernel {
 public:
  static std::unique_ptr<PackKernel> Make(const KernelNode& node) {
    return std::make_unique<PackKernel>(node.attrs->GetOr<int64_t>("axis", 0));
  }
  explicit PackKernel(int64_t axis) : axis_(axis) {}

  Status Compute(KernelContext& c) override {
    const Shape& first = c.input(0).shape();
    RAMET_ASSIGN_OR_RETURN(int axis, AxisArg(axis_, first.rank() + 1, "axis"));
    for (int i = 1; i < c.num_inputs(); ++i) {
      if (c.input(i).shape() == first) continue;
      return InvalidArgument("Shapes of all inputs must match: values[0].shape = ", first,
                             " != values[", i, "].shape = ", c.input(i).shape());
    }
    RAMET_ASSIGN_OR_RETURN(Shape shape, WithDim(first, axis, c.num_inputs()));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, c.input(0).dtype(), shape));
    const int64_t outer = Product(first, 0, axis), inner = Product(first, axis, first.rank());
    const int64_t dims[] = {outer, inner}, from[] = {inner, 1}, to[] = {inner * c.num_inputs(), 1};
    for (int i = 0; i < c.num_inputs(); ++i) {
      RAMET_RETURN_IF_ERROR(MoveStrided(c.input(i), 0, from, *y, i * inner, to, dims));
    }
    return OkStatus();
  }

 private:
  const int64_t axis_;
};

Status PackShape(ShapeContext& c) {
  Shape merged = Shape::Unknown();
  for (int i = c.num_inputs() - 1; i >= 0; --i) {
    auto next = c.input(i).MergeWith(merged);
    if (!next.ok()) {
      return InvalidArgument(next.status().message(), "\n\tFrom merging shape ", i,
                             " with other shapes.");
    }
    merged = *std::move(next);
  }
  if (merged.unknown_rank()) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(int axis,
                         AxisArg(c.attrs().GetOr<int64_t>("axis", 0), merged.rank() + 1, "axis"));
  RAMET_ASSIGN_OR_RETURN(Shape shape, WithDim(merged, axis, c.num_inputs()));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status PackGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(int64_t axis, c.attr<int64_t>("axis"));
  const Operation parts = c.AddOperation(
      "Unpack", {c.grad()}, {{"num", int64_t{c.num_inputs()}}, {"axis", axis}}, "unstack");
  std::vector<Gradient> grads;
  for (int i = 0; i < c.num_inputs(); ++i) grads.push_back(Output(parts, i));
  return c.Return(std::move(grads));
}

}  // namespace

RAMET_OP("Concat")
    .Foldable()
    .Input("concat_dim: int32")
    .Input("values: N * T")
    .Output("output: T")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .Doc(
        "Returns the values concatenated along dimension concat_dim, a scalar in [-rank, rank). "
        "The shapes of the values may differ only in that dimension. Error: the values differ in "
        "rank or in another dimension; concat_dim is not a scalar or is out of range.")
    .HostMemory({"concat_dim"})
    .Shape(ConcatShape<false>)
    .Gradient(ConcatGradient<false>)
    .CpuKernel(Concat<false>);

RAMET_OP("ConcatV2")
    .Foldable()
    .Input("values: N * T")
    .Input("axis: Tidx")
    .Output("output: T")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Doc(
        "Returns the values concatenated along dimension `axis`, a scalar in [-rank, rank). The "
        "shapes of the values may differ only in that dimension. Error: the values differ in rank "
        "or in another dimension; `axis` is not a scalar or is out of range.")
    .HostMemory({"axis"})
    .Shape(ConcatShape<true>)
    .Gradient(ConcatGradient<true>)
    .CpuKernel(Concat<true>);

RAMET_OP("ConcatOffset")
    .Foldable()
    .Input("concat_dim: int32")
    .Input("shape: N * shape_type")
    .Output("offset: N * shape_type")
    .Attr("N: int >= 2")
    .Attr("shape_type: {int32, int64} = DT_INT32")
    .Doc(
        "Returns, for each of N tensors of the given shapes (vectors), the index vector at which "
        "it begins in their concatenation along dimension concat_dim. Error: the shapes differ in "
        "length or in another dimension; concat_dim is not a scalar or is out of range.")
    .HostMemory({"concat_dim", "shape", "offset"})
    .Shape(ConcatOffsetShape)
    .NotDifferentiable()
    .CpuKernels<int32_t, int64_t>(kConcatOffset, "shape_type");

RAMET_OP("Pack")
    .Foldable()
    .Input("values: N * T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("axis: int = 0")
    .Doc(
        "Stacks N values of the same shape into one tensor with a new dimension of size N at "
        "`axis`. Error: the shapes differ; `axis` is not in [-rank - 1, rank].")
    .Shape(PackShape)
    .Gradient(PackGradient)
    .CpuKernelClass<PackKernel>();

}  // namespace ramet
