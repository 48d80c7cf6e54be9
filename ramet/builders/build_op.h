#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "ramet/builders/ref_input.h"
#include "ramet/graph/add_op.h"

// Building blocks of the generated op wrappers.
namespace ramet::build_op {

// An argument of an op: a tensor or a list of tensors.
struct Argument {
  Argument(const Input& input) : inputs{input} {}             // NOLINT: implicit on purpose
  Argument(const RefInput& ref) : inputs{ref.output()} {}     // NOLINT
  Argument(const std::vector<Input>& list) : inputs(list) {}  // NOLINT
  Argument(const std::vector<RefInput>& list) {               // NOLINT
    for (const RefInput& ref : list) inputs.push_back(ref.output());
  }
  std::vector<Input> inputs;
};

// Returns the tensors of all arguments, concatenated.
std::vector<Input> Flat(std::initializer_list<Argument> arguments);

template <class T>
int64_t Length(const std::vector<T>& list) {
  return static_cast<int64_t>(list.size());
}

inline std::string_view Or(std::string_view name, std::string_view otherwise) {
  return name.empty() ? otherwise : name;
}

// Calls AddOp in `graph`, or if it is null in the graph of the inputs. The result is invalid if
// there is none.
Operation Build(Graph* graph, std::string_view op, const std::vector<Input>& inputs, AttrMap attrs,
                std::string_view name, SourceLocation where);

inline Output First(const Operation& op) { return op.valid() ? op.output(0) : Output(); }

inline std::vector<Output> All(const Operation& op) {
  return op.valid() ? op.outputs() : std::vector<Output>();
}

// Returns the outputs of `op` by argument. For each argument, `attrs` names the attr that holds its
// number of tensors (an int) or their types (a list); "" means a single tensor. If `op` is invalid,
// each argument has one invalid Output.
std::vector<std::vector<Output>> Lists(const Operation& op,
                                       std::initializer_list<std::string_view> attrs);

}  // namespace ramet::build_op
