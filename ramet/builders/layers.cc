#include "ramet/builders/layers.h"

#include "ramet/builders/initializers.h"
#include "ramet/builders/math.h"
#include "ramet/builders/random.h"
#include "ramet/builders/tensors.h"
#include "ramet/gradients/shape_ops.h"
#include "ramet/graph/build_state.h"
#include "ramet/graph/names.h"

namespace ramet {
namespace {

// Returns the name of the next layer made under the open variable scope: "dense", "dense_1", ...
std::string LayerName(Graph& graph, const std::string& base) {
  BuildState& state = graph.build_state();
  auto count = [&](const std::string& name) -> int& {
    return state.variable_scope_counts[JoinScope(state.variable_scope.name, name)];
  };
  std::string name = base;
  for (int i = 1; count(name) > 0; ++i) name = StrCat(base, "_", i);
  ++count(name);
  return name;
}

Output Fail(const Output& x, const Status& status) {
  x.graph()->RecordError(status);
  return Output();
}

// Returns x * kernel for x of any rank, reshaping x to a matrix and the result to [..., units].
Output MatMulLast(const Output& x, const Output& kernel, int64_t inputs, int64_t units) {
  Graph& graph = *x.graph();
  if (x.shape().rank() == 2) return AddOp(graph, "MatMul", {x, kernel}).output(0);
  Scope here(graph);
  Scope scope = here.NameScope("Tensordot");
  Output shape = ShapeVector(x);
  const int32_t outer = x.shape().rank() - 1;
  Output kept =
      AddOp(graph, "Slice", {shape, Tensor::Vector<int32_t>({0}), Tensor::Vector<int32_t>({outer})})
          .output(0);
  Tensor rows = Tensor::Vector<int32_t>({-1, static_cast<int32_t>(inputs)});
  Output matrix = AddOp(graph, "Reshape", {x, rows}).output(0);
  Output product = AddOp(graph, "MatMul", {matrix, kernel}).output(0);
  Output dims = Concat({kept, Tensor::Vector<int32_t>({static_cast<int32_t>(units)})}, 0);
  Output result = AddOp(graph, "Reshape", {product, dims}, {}, scope.name()).output(0);
  Shape known = x.shape().Slice(0, outer);
  known.Append(units);
  if (result.valid()) graph.RecordError(graph.SetShape(result, known));
  return result;
}

// 1 - keep_prob: a number, or a tensor.
struct DropRate {
  std::optional<double> literal;
  Input input;

  // \error kInvalidArgument: a number is not in (0, 1].
  static StatusOr<DropRate> From(const Input& keep_prob) {
    if (!keep_prob.is_constant()) return DropRate{std::nullopt, Input(1 - keep_prob)};
    const Tensor& constant = keep_prob.constant();
    if (constant.num_elements() == 1) {
      StatusOr<double> keep = NumberAt(constant, 0);
      if (keep.ok() && *keep > 0 && *keep <= 1) return DropRate{1 - *keep, Input(1 - *keep)};
    }
    return InvalidArgument("keep_prob must be a number in (0, 1], not ", constant);
  }

  // Returns x / keep_prob, and converts `input` to the dtype of x.
  Output Scale(const Output& x) {
    Graph& graph = *x.graph();
    const DType dtype = BaseType(x.dtype());
    if (literal) {
      Output factor = ToTensor(graph, 1 / (1 - *literal), dtype, "Const");
      return AddOp(graph, "Mul", {x, factor}).output(0);
    }
    Output rate = CastTo(input.output(), dtype, "rate");
    input = rate;
    Output one = ToTensor(graph, 1, dtype, "Const");
    Output keep = AddOp(graph, "Sub", {one, rate}).output(0);
    return AddOp(graph, "RealDiv", {x, keep}).output(0);
  }
};

}  // namespace

Output Dense(Scope& scope, const Output& x, int64_t units, const DenseOptions& options) {
  if (!x.valid()) return Output();
  Graph& graph = scope.graph();
  const Shape shape = x.shape();
  const int64_t inputs = shape.rank() < 2 ? -1 : shape.dim(shape.rank() - 1);
  if (inputs < 0 || units <= 0) {
    return Fail(x, InvalidArgument("Dense needs an input of known last dimension and at least two "
                                   "dimensions, and units > 0; got ",
                                   x.name(), " of shape ", shape, " and ", units, " units"));
  }
  VariableOptions variable;
  variable.dtype = BaseType(x.dtype());
  variable.trainable = options.trainable;
  variable.initializer = options.kernel_initializer;
  Scope layer =
      scope.VariableScope(options.name.empty() ? LayerName(graph, "dense") : options.name);
  Variable kernel = layer.GetVariable("kernel", {inputs, units}, variable);
  Variable bias;
  if (options.use_bias) {
    variable.initializer = options.bias_initializer ? options.bias_initializer : Zeros();
    bias = layer.GetVariable("bias", {units}, variable);
  }
  if (!kernel.valid() || (options.use_bias && !bias.valid())) return Output();
  Output y = MatMulLast(x, kernel, inputs, units);
  if (options.use_bias) y = AddOp(graph, "BiasAdd", {y, bias}).output(0);
  return options.activation && y.valid() ? options.activation(y) : y;
}

Output Flatten(const Output& x, std::string_view name) {
  if (!x.valid()) return Output();
  Graph& graph = *x.graph();
  const Shape shape = x.shape();
  const int64_t features = shape.rank() < 1 ? -1 : shape.Slice(1, shape.rank()).num_elements();
  if (features < 0) {
    return Fail(x, InvalidArgument("Flatten needs all dimensions except the first to be known; ",
                                   x.name(), " has shape ", shape));
  }
  Scope here(graph);
  Scope scope = here.NameScope(name);
  Tensor dims = Tensor::Vector<int32_t>({-1, static_cast<int32_t>(features)});
  return AddOp(graph, "Reshape", {x, dims}).output(0);
}

Output Dropout(const Output& x, const Input& keep_prob, const DropoutOptions& options) {
  if (!x.valid()) return Output();
  Graph& graph = *x.graph();
  const DType dtype = BaseType(x.dtype());
  if (!IsFloating(dtype)) {
    return Fail(x, InvalidArgument("Dropout scales its input, which must have a floating dtype; ",
                                   x.name(), " is ", DTypeName(dtype)));
  }
  auto rate = DropRate::From(keep_prob);
  if (!rate.ok()) return Fail(x, rate.status());
  Scope here(graph);
  Scope scope = here.NameScope(options.name);
  if (rate->literal == 0) {
    // Consumes a seed, so that other random ops of the graph get the same seeds in either case.
    graph.SeedsForOp(options.seed ? &*options.seed : nullptr);
    return x;
  }
  Output scaled = rate->Scale(x);
  Output noise = RandomUniform(graph, ShapeVector(x), {.dtype = dtype, .seed = options.seed});
  Output keep = AddOp(graph, "GreaterEqual", {noise, rate->input}).output(0);
  Output zero = ToTensor(graph, 0, dtype, "Const");
  Output result = AddOp(graph, "SelectV2", {keep, scaled, zero}).output(0);
  if (result.valid()) graph.RecordError(graph.SetShape(result, x.shape()));
  return result;
}

}  // namespace ramet
