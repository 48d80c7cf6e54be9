#include "ramet/graph_def/function_references.h"

#include "ramet/base/strings.h"

namespace ramet {
namespace {

// A limit is needed because references to whole lists multiply inputs.
constexpr size_t kMaxInputs = size_t{1} << 22;

std::string TensorName(const std::string& node, int index) {
  return index == 0 ? node : StrCat(node, ":", index);
}

}  // namespace

Status FunctionReferences::Define(std::string name, const std::string& node, int first, int count) {
  auto [it, added] = tensors_.try_emplace(std::move(name), Tensors{node, first, count});
  if (added) return OkStatus();
  return InvalidArgument("Duplicated name '", it->first, "'");
}

StatusOr<std::vector<std::string>> FunctionReferences::All(const Tensors& tensors) {
  num_inputs_ += static_cast<size_t>(tensors.count);
  if (num_inputs_ > kMaxInputs) {
    return ResourceExhausted("the function has more than ", kMaxInputs,
                             " inputs of nodes; most of them read ", users_.Text("inputs"));
  }
  users_.Add(tensors.node, static_cast<uint64_t>(tensors.count));
  std::vector<std::string> names;
  for (int i = 0; i < tensors.count; ++i) {
    names.push_back(TensorName(tensors.node, tensors.first + i));
  }
  return names;
}

StatusOr<std::vector<std::string>> FunctionReferences::Resolve(const std::string& reference) {
  auto whole = tensors_.find(reference);
  if (whole != tensors_.end()) return All(whole->second);
  if (auto list = lists_.find(reference); list != lists_.end()) {
    std::vector<std::string> names;
    for (size_t i = 0; i < list->second; ++i) {
      RAMET_ASSIGN_OR_RETURN(auto one, Resolve(StrCat(reference, ":", i)));
      names.push_back(std::move(one[0]));
    }
    return names;
  }
  const size_t colon = reference.rfind(':');
  int64_t index = 0;
  if (colon != std::string::npos &&
      ParseInt64(std::string_view(reference).substr(colon + 1), &index)) {
    auto item = tensors_.find(reference.substr(0, colon));
    if (item != tensors_.end() && index >= 0 && index < item->second.count) {
      return std::vector{
          TensorName(item->second.node, item->second.first + static_cast<int>(index))};
    }
  }
  return InvalidArgument("input '", reference,
                         "' is not found: it is neither an argument nor an output "
                         "(\"node:output:0\") of a node of the function");
}

std::string FunctionReferences::ControlNode(const std::string& name) const {
  auto argument = tensors_.find(name);
  return argument == tensors_.end() ? name : argument->second.node;
}

}  // namespace ramet
