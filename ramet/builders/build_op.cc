#include "ramet/builders/build_op.h"

namespace ramet::build_op {
namespace {

int CountOf(const Operation& op, std::string_view attr) {
  if (attr.empty()) return 1;
  const std::shared_ptr<const AttrMap> attrs = op.attrs();
  const Attr* value = attrs->Find(attr);
  if (value == nullptr) return 0;
  if (const auto* types = value->get<std::vector<DType>>()) return static_cast<int>(types->size());
  const auto* count = value->get<int64_t>();
  return count == nullptr ? 0 : static_cast<int>(*count);
}

}  // namespace

std::vector<Input> Flat(std::initializer_list<Argument> arguments) {
  std::vector<Input> all;
  for (const Argument& argument : arguments) {
    all.insert(all.end(), argument.inputs.begin(), argument.inputs.end());
  }
  return all;
}

Operation Build(Graph* graph, std::string_view op, const std::vector<Input>& inputs, AttrMap attrs,
                std::string_view name, SourceLocation where) {
  if (graph == nullptr) graph = GraphOf(inputs);
  if (graph == nullptr) return Operation();
  return AddOp(*graph, op, inputs, std::move(attrs), name, where);
}

std::vector<std::vector<Output>> Lists(const Operation& op,
                                       std::initializer_list<std::string_view> attrs) {
  std::vector<std::vector<Output>> lists;
  int next = 0;
  for (std::string_view attr : attrs) {
    std::vector<Output>& list = lists.emplace_back();
    if (!op.valid()) {
      list.push_back(Output());
      continue;
    }
    for (int i = CountOf(op, attr); i > 0; --i) list.push_back(op.output(next++));
  }
  return lists;
}

}  // namespace ramet::build_op
