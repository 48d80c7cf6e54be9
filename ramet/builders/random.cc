#include "ramet/builders/random.h"

#include "ramet/builders/tensors.h"
#include "ramet/graph/scope.h"

namespace ramet {
namespace {

AttrMap WithSeeds(Graph& graph, const std::optional<int64_t>& seed, AttrMap attrs) {
  const auto [first, second] = graph.SeedsForOp(seed ? &*seed : nullptr);
  attrs.Set("seed", first);
  attrs.Set("seed2", second);
  return attrs;
}

Output NormalLike(Graph& graph, std::string_view op, std::string_view default_name,
                  const Input& shape, const RandomNormalOptions& options) {
  Scope here(graph);
  Scope scope = here.NameScope(options.name.empty() ? default_name : options.name);
  Output dims = ToTensor(graph, shape, kInt32, "shape");
  Output mean = ToTensor(graph, options.mean, options.dtype, "mean");
  Output stddev = ToTensor(graph, options.stddev, options.dtype, "stddev");
  AttrMap attrs = WithSeeds(graph, options.seed, {{"dtype", options.dtype}});
  Output raw = AddOp(graph, op, {dims}, std::move(attrs)).output(0);
  Output scaled = AddOp(graph, "Mul", {raw, stddev}, {}, "mul").output(0);
  return AddOp(graph, "AddV2", {scaled, mean}, {}, scope.name()).output(0);
}

Output UniformIntegers(Graph& graph, const Output& dims, const Output& min, const Output& max,
                       const RandomUniformOptions& options, const std::string& name) {
  AttrMap attrs = WithSeeds(graph, options.seed, {});
  return AddOp(graph, "RandomUniformInt", {dims, min, max}, std::move(attrs), name).output(0);
}

}  // namespace

Output RandomUniform(Graph& graph, const Input& shape, const RandomUniformOptions& options) {
  Scope here(graph);
  Scope scope = here.NameScope(options.name);
  const bool from_zero = IsIntegerLiteral(options.minval, 0);
  const bool to_one = IsIntegerLiteral(options.maxval, 1);
  const bool integer = IsInteger(options.dtype);
  Output dims = ToTensor(graph, shape, kInt32, "shape");
  Output min, max;
  if (!from_zero || !to_one || integer) {
    min = ToTensor(graph, options.minval, options.dtype, "min");
    max = ToTensor(graph, options.maxval, options.dtype, "max");
  }
  if (integer) return UniformIntegers(graph, dims, min, max, options, scope.name());
  AttrMap attrs = WithSeeds(graph, options.seed, {{"dtype", options.dtype}});
  Output raw = AddOp(graph, "RandomUniform", {dims}, std::move(attrs)).output(0);
  if (from_zero && to_one) return raw;
  if (from_zero) return AddOp(graph, "Mul", {raw, max}).output(0);
  Output range = AddOp(graph, "Sub", {max, min}, {}, "sub").output(0);
  Output scaled = AddOp(graph, "Mul", {raw, range}, {}, "mul").output(0);
  return AddOp(graph, "AddV2", {scaled, min}, {}, scope.name()).output(0);
}

Output RandomNormal(Graph& graph, const Input& shape, const RandomNormalOptions& options) {
  return NormalLike(graph, "RandomStandardNormal", "random_normal", shape, options);
}

Output TruncatedNormal(Graph& graph, const Input& shape, const RandomNormalOptions& options) {
  return NormalLike(graph, "TruncatedNormal", "truncated_normal", shape, options);
}

Output RandomShuffle(const Output& value, std::optional<int64_t> seed, std::string_view name) {
  if (!value.valid()) return Output();
  Graph& graph = *value.graph();
  return AddOp(graph, "RandomShuffle", {value}, WithSeeds(graph, seed, {}), name).output(0);
}

}  // namespace ramet
