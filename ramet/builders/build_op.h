#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "ramet/builders/ref_input.h"
#include "ramet/graph/add_op.h"

// What the generated wrappers are made of.
namespace ramet::build_op {

// One argument of an op: a tensor or a list of them.
struct Argument {
  Argument(const Input& input) : inputs{input} {}             // NOLINT: implicit on purpose
  Argument(const RefInput& ref) : inputs{ref.output()} {}     // NOLINT
  Argument(const std::vector<Input>& list) : inputs(list) {}  // NOLINT
  Argument(const std::vector<RefInput>& list) {               // NOLINT
    for (const RefInput& ref : list) inputs.push_back(ref.output());
  }
  std::vector<Input> inputs;
};

// The tensors of all arguments one after another.
std::vector<Input> Flat(std::initializer_list<Argument> arguments);

template <class T>
int64_t Length(const std::vector<T>& list) {
  return static_cast<int64_t>(list.size());
}

inline std::string_view Or(std::string_view name, std::string_view otherwise) {
  return name.empty() ? otherwise : name;
}

// AddOp in `graph`, or in the graph of the inputs when that is null; invalid when there is none.
Operation Build(Graph* graph, std::string_view op, const std::vector<Input>& inputs, AttrMap attrs,
                std::string_view name, SourceLocation where);

inline Output First(const Operation& op) { return op.valid() ? op.output(0) : Output(); }

inline std::vector<Output> All(const Operation& op) {
  return op.valid() ? op.outputs() : std::vector<Output>();
}

// The outputs of `op` by argument: `attrs` says for each the attr that holds its number of tensors
// (an int) or their types (a list), "" for a single one. One invalid Output each when `op` is
// invalid.
std::vector<std::vector<Output>> Lists(const Operation& op,
                                       std::initializer_list<std::string_view> attrs);

}  // namespace ramet::build_op
