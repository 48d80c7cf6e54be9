#include "ramet/builders/losses.h"

#include "ramet/builders/math.h"
#include "ramet/builders/tensors.h"
#include "ramet/gradients/shape_ops.h"
#include "ramet/graph/scope.h"

namespace ramet {
namespace {

Output RankOf(const Output& x) {
  const int rank = x.shape().rank();
  if (rank >= 0) return Constant(*x.graph(), Tensor(int32_t{rank}), "Rank");
  return AddOp(*x.graph(), "Rank", {x}).output(0);
}

Output Minus1(const Output& x) { return AddOp(*x.graph(), "Sub", {x, 1}).output(0); }

// Returns shape[rank - 1 :], the last dimension as a vector of one element.
Output LastDim(const Output& shape, const Output& rank) {
  Graph& graph = *shape.graph();
  Output last = Minus1(rank);
  Scope here(graph);
  Scope scope = here.NameScope("Slice");
  Output begin = AddOp(graph, "Pack", {last}, {}, "begin").output(0);
  Output size = Constant(graph, Tensor::Vector<int32_t>({1}), "size");
  return AddOp(graph, "Slice", {shape, begin, size}, {}, scope.name()).output(0);
}

// Returns shape[: rank - 1].
Output OuterDims(const Output& shape, const Output& rank) {
  Graph& graph = *shape.graph();
  Output count = Minus1(rank);
  Scope here(graph);
  Scope scope = here.NameScope("Slice");
  Output begin = Constant(graph, Tensor::Vector<int32_t>({0}), "begin");
  Output size = AddOp(graph, "Pack", {count}, {}, "size").output(0);
  return AddOp(graph, "Slice", {shape, begin, size}, {}, scope.name()).output(0);
}

void SetShapeIfFits(const Output& x, const Shape& shape) {
  if (x.valid()) x.graph()->RecordError(x.graph()->SetShape(x, shape));
}

// Reshapes x to a matrix by combining all dimensions except the last.
Output FlattenOuterDims(const Output& x) {
  Graph& graph = *x.graph();
  Output rank = RankOf(x);
  Output shape = ShapeVector(x);
  Output last = LastDim(shape, rank);
  Output dims = Concat({Tensor::Vector<int32_t>({-1}), last}, 0);
  Output flat = AddOp(graph, "Reshape", {x, dims}).output(0);
  const Shape known = x.shape();
  if (known.rank() < 1) return flat;
  const int64_t rows = known.Slice(0, known.rank() - 1).num_elements();
  if (rows >= 0) SetShapeIfFits(flat, {rows, known.dim(known.rank() - 1)});
  return flat;
}

// Casts narrower types to float, so that the sums are accurate enough.
Output Precise(const Output& x, bool bfloat16_too) {
  const DType dtype = BaseType(x.dtype());
  const bool narrow = dtype == kHalf || (bfloat16_too && dtype == kBFloat16);
  return narrow ? CastTo(x, kFloat) : x;
}

Output XentOfMatrices(const Output& logits, const Input& labels, const std::string& name) {
  Graph& graph = *logits.graph();
  Output precise = Precise(logits, true);
  Output wanted =
      CastTo(ToTensor(graph, labels, precise.dtype(), "labels"), BaseType(precise.dtype()));
  Output rank = RankOf(precise);
  Output shape = ShapeVector(precise);
  Output flat = FlattenOuterDims(precise);
  if (!wanted.valid() || !flat.valid()) return Output();
  Output flat_labels = FlattenOuterDims(wanted);
  Operation op = AddOp(graph, "SoftmaxCrossEntropyWithLogits", {flat, flat_labels}, {}, name);
  if (!op.valid()) return Output();
  Output cost = AddOp(graph, "Reshape", {op.output(0), OuterDims(shape, rank)}).output(0);
  const Shape known = logits.shape();
  if (known.rank() > 0) SetShapeIfFits(cost, known.Slice(0, known.rank() - 1));
  return CastTo(cost, BaseType(logits.dtype()));
}

// Returns the size of the last dimension as a scalar.
Output ClassesOf(const Output& logits) {
  Graph& graph = *logits.graph();
  Output shape = ShapeVector(logits);
  Output last = LastDim(shape, RankOf(logits));
  return AddOp(graph, "Reshape", {last, Tensor(kInt32, Shape{0})}).output(0);
}

bool CheckSparseShapes(const Output& labels, const Output& logits) {
  const Shape l = labels.shape(), x = logits.shape();
  if (x.unknown_rank()) return true;
  if (x.rank() > 0 && l.IsCompatibleWith(x.Slice(0, x.rank() - 1))) return true;
  logits.graph()->RecordError(InvalidArgument(
      "`labels.shape` must equal `logits.shape` except for the last dimension. Received: labels ",
      labels.name(), " of shape ", l, " and logits ", logits.name(), " of shape ", x));
  return false;
}

}  // namespace

Output SoftmaxCrossEntropy(const Input& labels, const Output& logits,
                           const SoftmaxCrossEntropyOptions& options) {
  if (!logits.valid()) return Output();
  Graph& graph = *logits.graph();
  const char* default_name = options.labels_gradient ? "softmax_cross_entropy_with_logits"
                                                     : "softmax_cross_entropy_with_logits_sg";
  Scope here(graph);
  Scope scope = here.NameScope(options.name.empty() ? default_name : options.name);
  Input used = labels;
  if (!options.labels_gradient) {
    Output given = ToTensor(graph, labels, BaseType(logits.dtype()), "labels");
    used = AddOp(graph, "StopGradient", {given}, {}, "labels_stop_gradient").output(0);
  }
  return XentOfMatrices(logits, used, scope.name());
}

Output SparseSoftmaxCrossEntropy(const Input& labels, const Output& logits, std::string_view name) {
  if (!logits.valid()) return Output();
  Graph& graph = *logits.graph();
  constexpr std::string_view kOp = "SparseSoftmaxCrossEntropyWithLogits";
  Scope here(graph);
  Scope scope = here.NameScope(name.empty() ? kOp : name);
  Output numbers = ToTensor(graph, labels, kInt64, "Const");
  if (!numbers.valid() || !CheckSparseShapes(numbers, logits)) return Output();
  Output precise = Precise(logits, false);
  Output labels_shape = ShapeVector(numbers);
  const bool matrix = logits.shape().rank() == 2;
  if (!matrix) {
    Output classes = ClassesOf(logits);
    Output rows = AddOp(graph, "Pack", {-1, classes}, {}, "Reshape/shape").output(0);
    precise = AddOp(graph, "Reshape", {precise, rows}).output(0);
    numbers = AddOp(graph, "Reshape", {numbers, Tensor::Vector<int32_t>({-1})}).output(0);
  }
  Output cost = AddOp(graph, kOp, {precise, numbers}, {}, name).output(0);
  if (!matrix) cost = AddOp(graph, "Reshape", {cost, labels_shape}).output(0);
  return CastTo(cost, BaseType(logits.dtype()));
}

Output SigmoidCrossEntropy(const Input& labels, const Output& logits, std::string_view name) {
  if (!logits.valid()) return Output();
  Graph& graph = *logits.graph();
  Scope here(graph);
  Scope scope = here.NameScope(name);
  auto op = [&](std::string_view type, const std::vector<Input>& inputs,
                std::string_view node = "") {
    return AddOp(graph, type, inputs, {}, node).output(0);
  };
  Output zeros = ZerosLikeOutput(logits, true);
  Output positive = op("GreaterEqual", {logits, zeros});
  Output relu = op("Select", {positive, logits, zeros});
  Output negated = op("Neg", {logits});
  Output minus_abs = op("Select", {positive, negated, logits}, "Select");
  Output linear = relu - logits * labels;
  Output exp = op("Exp", {minus_abs});
  Output log = op("Log1p", {exp});
  return op("AddV2", {linear, log}, scope.name());
}

Output MeanSquaredError(const Input& labels, const Output& predictions, std::string_view name) {
  if (!predictions.valid()) return Output();
  Graph& graph = *predictions.graph();
  Scope here(graph);
  Scope scope = here.NameScope(name);
  Output squares = AddOp(graph, "SquaredDifference", {predictions, labels}).output(0);
  return ReduceMean(squares);
}

}  // namespace ramet
