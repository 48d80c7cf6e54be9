#include "ramet/builders/functional.h"

#include <algorithm>
#include <utility>

#include "ramet/builders/element_array.h"
#include "ramet/builders/tensors.h"
#include "ramet/builders/valid_outputs.h"

namespace ramet {
namespace {

// The slices of tensors along their first dimension, as tensor arrays.
class Elements {
 public:
  static StatusOr<Elements> Make(Graph& graph, const std::vector<Output>& elems,
                                 bool known_shapes) {
    Elements made(graph);
    RAMET_ASSIGN_OR_RETURN(made.static_count_, CommonCount(elems));
    made.count_ = made.static_count_ >= 0 ? Count(made.static_count_)
                                          : Count(FirstDimension(graph, elems[0]));
    for (const Output& tensor : elems) {
      const Shape shape = tensor.shape();
      made.arrays_.push_back(made.Array(
          tensor.dtype(), true,
          known_shapes && !shape.unknown_rank() ? shape.Slice(1, shape.rank()) : Shape::Unknown()));
    }
    for (size_t i = 0; i < elems.size(); ++i) {
      RAMET_RETURN_IF_ERROR(made.arrays_[i].Unstack(elems[i]));
    }
    return made;
  }

  const Count& count() const { return count_; }
  // Returns an array with the same number of elements.
  ElementArray Array(DType dtype, bool infer_shape, const Shape& shape = Shape::Unknown()) const {
    return ElementArray(graph_, count_, dtype, infer_shape, shape);
  }
  Outputs At(const Input& index) const {
    Outputs slices;
    for (const ElementArray& array : arrays_) slices.push_back(array.Read(index));
    return slices;
  }

 private:
  explicit Elements(Graph& graph) : graph_(graph) {}

  static StatusOr<int64_t> CommonCount(const std::vector<Output>& elems) {
    if (elems.empty()) return InvalidArgument("elems must have at least one Tensor");
    int64_t count = -1;
    for (const Output& tensor : elems) {
      const Shape shape = tensor.shape();
      if (shape.unknown_rank()) continue;
      if (shape.rank() < 1) {
        return InvalidArgument("Elements in elems must be 1+ dimensional Tensors, not scalars");
      }
      if (count >= 0 && shape.dim(0) >= 0 && shape.dim(0) != count) {
        return InvalidArgument("Dimensions ", count, " and ", shape.dim(0), " are not compatible");
      }
      count = std::max(count, shape.dim(0));
    }
    return count;
  }

  Graph& graph_;
  int64_t static_count_ = -1;
  Count count_;
  std::vector<ElementArray> arrays_;
};

template <class Options>
WhileLoopOptions LoopOptions(const Options& options, const Elements& elements) {
  return {.parallel_iterations = options.parallel_iterations,
          .back_prop = options.back_prop,
          .swap_memory = options.swap_memory,
          .maximum_iterations = elements.count().input()};
}

Outputs Flows(const std::vector<ElementArray>& arrays) {
  Outputs flows;
  for (const ElementArray& array : arrays) flows.push_back(array.flow());
  return flows;
}

void SetFlows(std::vector<ElementArray>& arrays, const Outputs& flows) {
  for (size_t i = 0; i < arrays.size(); ++i) arrays[i].set_flow(flows[i]);
}

Status CheckNumber(const Outputs& made, size_t expected) {
  if (made.size() == expected) return OkStatus();
  return InvalidArgument("the function returned ", made.size(), " tensors, expected ", expected);
}

Status WriteAll(std::vector<ElementArray>& arrays, const Input& index, const Outputs& values) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    RAMET_RETURN_IF_ERROR(arrays[i].Write(index, values[i]));
  }
  return OkStatus();
}

StatusOr<Outputs> Stacked(std::vector<ElementArray>& arrays, const Outputs& flows) {
  Outputs stacked(arrays.size());
  if (!AllValid(flows)) return stacked;
  SetFlows(arrays, flows);
  for (size_t i = 0; i < arrays.size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(stacked[i], arrays[i].Stack());
  }
  return stacked;
}

// Returns the variables of a loop, starting with its counter.
std::vector<Input> WithCounter(const Input& counter, const Outputs& others) {
  std::vector<Input> variables{counter};
  variables.insert(variables.end(), others.begin(), others.end());
  return variables;
}

Outputs Joined(const Output& first, const Outputs& second, const Outputs& third = {}) {
  Outputs all{first};
  all.insert(all.end(), second.begin(), second.end());
  all.insert(all.end(), third.begin(), third.end());
  return all;
}

Outputs Part(const Outputs& all, size_t begin, size_t size) {
  return Outputs(all.begin() + static_cast<int64_t>(begin),
                 all.begin() + static_cast<int64_t>(begin + size));
}

// Runs a builder under its name scope and records its error in the graph.
Outputs Built(Scope& scope, std::string_view name, const std::vector<Output>& elems,
              const std::function<StatusOr<Outputs>(Graph&)>& build) {
  if (!AllValid(elems)) return {};
  Scope inner = scope.NameScope(name);
  auto built = build(scope.graph());
  if (built.ok()) return *std::move(built);
  scope.graph().RecordError(built.status().WithContext(inner.name()));
  return {};
}

StatusOr<Outputs> Mapped(Graph& graph, const std::function<Outputs(const Outputs&)>& fn,
                         const std::vector<Output>& elems, const MapFnOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const Elements elements, Elements::Make(graph, elems, false));
  const Output first = Constant(graph, Tensor(int32_t{0}));
  std::vector<DType> dtypes = options.dtypes;
  if (dtypes.empty()) {
    for (const Output& tensor : elems) dtypes.push_back(tensor.dtype());
  }
  std::vector<ElementArray> arrays;
  for (DType dtype : dtypes) arrays.push_back(elements.Array(dtype, options.infer_shape));
  Status status;
  auto body = [&](const Outputs& variables) -> Outputs {
    SetFlows(arrays, Part(variables, 1, arrays.size()));
    const Outputs made = fn(elements.At(variables[0]));
    status = CheckNumber(made, arrays.size());
    if (status.ok()) status = WriteAll(arrays, variables[0], made);
    if (!status.ok() || !AllValid(made)) return Outputs(variables.size());
    return Joined(variables[0] + 1, Flows(arrays));
  };
  Scope scope(graph);
  const Outputs last = WhileLoop(
      scope,
      [&](const Outputs& v) {
        return AddOp(graph, "Less", {v[0], elements.count().input()}).output(0);
      },
      body, WithCounter(first, Flows(arrays)), LoopOptions(options, elements));
  RAMET_RETURN_IF_ERROR(status);
  return Stacked(arrays, Part(last, 1, arrays.size()));
}

StatusOr<Outputs> Folded(Graph& graph, const FoldFunction& fn, const std::vector<Output>& elems,
                         const FoldOptions& options, bool from_right) {
  RAMET_ASSIGN_OR_RETURN(const Elements elements, Elements::Make(graph, elems, false));
  const bool has_initial = !options.initializer.empty();
  Input begin = from_right ? elements.count().Less(has_initial ? 0 : 1) : Input(0);
  std::vector<Input> variables = options.initializer;
  if (!has_initial) {
    for (const Output& slice : elements.At(begin)) variables.emplace_back(slice);
  }
  if (!from_right) begin = Constant(graph, Tensor(int32_t{has_initial ? 0 : 1}));
  const size_t size = variables.size();
  variables.insert(variables.begin(), begin);
  Status status;
  auto body = [&](const Outputs& v) -> Outputs {
    const Output index = from_right ? v[0] - 1 : v[0];
    const Outputs made = fn(Part(v, 1, size), elements.At(index));
    status = CheckNumber(made, size);
    if (!status.ok() || !AllValid(made)) return Outputs(v.size());
    return Joined(from_right ? index : v[0] + 1, made);
  };
  auto more = [&](const Outputs& v) {
    return from_right ? AddOp(graph, "Greater", {v[0], 0}).output(0)
                      : AddOp(graph, "Less", {v[0], elements.count().input()}).output(0);
  };
  Scope scope(graph);
  const Outputs last = WhileLoop(scope, more, body, variables, LoopOptions(options, elements));
  RAMET_RETURN_IF_ERROR(status);
  return Part(last, 1, size);
}

StatusOr<Outputs> Scanned(Graph& graph, const FoldFunction& fn, const std::vector<Output>& elems,
                          const ScanOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const Elements elements, Elements::Make(graph, elems, true));
  const Count& count = elements.count();
  const bool has_initial = !options.initializer.empty();
  Input begin = options.reverse ? count.Less(1) : Input(0);
  Outputs results = has_initial ? Outputs() : elements.At(begin);
  for (const Input& initial : options.initializer) {
    results.push_back(ToTensor(graph, initial, DType::kInvalid, "Const"));
  }
  if (!AllValid(results)) return Outputs(results.size());
  const size_t size = results.size();
  std::vector<ElementArray> arrays;
  for (const Output& result : results) {
    arrays.push_back(elements.Array(result.dtype(), options.infer_shape,
                                    options.infer_shape ? result.shape() : Shape::Unknown()));
  }
  if (!has_initial) {
    RAMET_RETURN_IF_ERROR(WriteAll(arrays, begin, results));
    begin = options.reverse ? count.Less(2) : Input(1);
  }
  Status status;
  auto body = [&](const Outputs& v) -> Outputs {
    SetFlows(arrays, Part(v, 1 + size, size));
    const Outputs made = fn(Part(v, 1, size), elements.At(v[0]));
    status = CheckNumber(made, size);
    if (status.ok()) status = WriteAll(arrays, v[0], made);
    if (!status.ok() || !AllValid(made)) return Outputs(v.size());
    return Joined(options.reverse ? v[0] - 1 : v[0] + 1, made, Flows(arrays));
  };
  auto more = [&](const Outputs& v) {
    return options.reverse ? AddOp(graph, "GreaterEqual", {v[0], 0}).output(0)
                           : AddOp(graph, "Less", {v[0], count.input()}).output(0);
  };
  Scope scope(graph);
  results.insert(results.end(), size, Output());
  std::ranges::copy(Flows(arrays), results.begin() + static_cast<int64_t>(size));
  const Outputs last =
      WhileLoop(scope, more, body, WithCounter(begin, results), LoopOptions(options, elements));
  RAMET_RETURN_IF_ERROR(status);
  return Stacked(arrays, Part(last, 1 + size, size));
}

}  // namespace

Outputs MapFn(Scope& scope, const std::function<Outputs(const Outputs&)>& fn,
              const std::vector<Output>& elems, const MapFnOptions& options) {
  return Built(scope, options.name, elems,
               [&](Graph& graph) { return Mapped(graph, fn, elems, options); });
}

Outputs FoldL(Scope& scope, const FoldFunction& fn, const std::vector<Output>& elems,
              const FoldOptions& options) {
  return Built(scope, options.name.empty() ? "foldl" : options.name, elems,
               [&](Graph& graph) { return Folded(graph, fn, elems, options, false); });
}

Outputs FoldR(Scope& scope, const FoldFunction& fn, const std::vector<Output>& elems,
              const FoldOptions& options) {
  return Built(scope, options.name.empty() ? "foldr" : options.name, elems,
               [&](Graph& graph) { return Folded(graph, fn, elems, options, true); });
}

Outputs Scan(Scope& scope, const FoldFunction& fn, const std::vector<Output>& elems,
             const ScanOptions& options) {
  return Built(scope, options.name, elems,
               [&](Graph& graph) { return Scanned(graph, fn, elems, options); });
}

}  // namespace ramet
