#include "ramet/edit/clone_selection.h"
#include "ramet/graph/names.h"

namespace ramet {
namespace {

Endpoint EndpointOf(const Output& tensor) { return {tensor.op().id(), tensor.index()}; }

Status InArgument(const Status& status, const char* argument) {
  return status.WithContext(StrCat("clone: ", argument));
}

}  // namespace

std::string CloneSelection::TensorName(Endpoint e) const {
  return StrCat(impl_.nodes[e.node].name, ":", e.index);
}

StatusOr<NodeId> CloneSelection::ResolveOperation(const CloneElement& element,
                                                  const char* argument) const {
  Operation op;
  if (const auto* name = std::get_if<std::string>(&element.element())) {
    const bool is_tensor = name->find(':') != std::string::npos;
    if (is_tensor) {
      auto tensor = source_.Tensor(*name);
      if (!tensor.ok()) return InArgument(tensor.status(), argument);
      return tensor->op().id();
    }
    auto found = source_.FindOperation(*name);
    if (!found.ok()) return InArgument(found.status(), argument);
    return found->id();
  }
  if (const auto* given = std::get_if<Operation>(&element.element())) op = *given;
  if (const auto* tensor = std::get_if<Output>(&element.element())) op = tensor->op();
  if (const auto* v = std::get_if<Variable>(&element.element()); v != nullptr && v->valid()) {
    op = v->ref().op();
  }
  if (op.valid() && op.graph() == &source_) return op.id();
  return InvalidArgument("clone: ", argument, ": ",
                         op.valid() ? StrCat("'", op.name(), "' is not an element of the source")
                                    : "an invalid handle");
}

StatusOr<Endpoint> CloneSelection::ResolveTensor(const CloneElement& element,
                                                 const char* argument) const {
  if (const auto* name = std::get_if<std::string>(&element.element());
      name != nullptr && name->find(':') != std::string::npos) {
    auto tensor = source_.Tensor(*name);
    if (!tensor.ok()) return InArgument(tensor.status(), argument);
    return EndpointOf(*tensor);
  }
  RAMET_ASSIGN_OR_RETURN(const NodeId id, ResolveOperation(element, argument));
  if (const auto* tensor = std::get_if<Output>(&element.element())) return EndpointOf(*tensor);
  if (const auto* v = std::get_if<Variable>(&element.element())) return EndpointOf(v->value());
  const Operation op(&source_, id);
  if (op.num_outputs() == 1) return Endpoint{id, 0};
  return InvalidArgument("clone: ", argument, ": operation '", op.name(), "' has ",
                         op.num_outputs(), " outputs; name one of them as '", op.name(), ":0'");
}

void CloneSelection::Cut(Endpoint e) {
  cut_keys_.insert(EndpointKey(e));
  has_cut_[static_cast<size_t>(e.node)] = 1;
}

Status CloneSelection::ResolveInputs() {
  for (const CloneElement& element : options_.inputs) {
    RAMET_ASSIGN_OR_RETURN(const Endpoint e, ResolveTensor(element, "inputs"));
    if (IsCut(e)) continue;
    if (impl_.nodes[e.node].op->name() == "Placeholder") {
      starts_.push_back(e.node);
      continue;
    }
    RAMET_RETURN_IF_ERROR(CutOrRefuse(e, "inputs"));
  }
  return OkStatus();
}

Status CloneSelection::CutOrRefuse(Endpoint e, const char* argument) {
  if (IsRef(impl_.output(e).dtype)) {
    return InvalidArgument("clone: ", argument, ": '", TensorName(e),
                           "' is a reference to a variable; name a tensor that reads it");
  }
  Cut(e);
  cuts_.push_back(e);
  return OkStatus();
}

const ClonePlaceholder* CloneSelection::AskedPlaceholder(Endpoint cut) const {
  auto found = asked_.find(EndpointKey(cut));
  return found == asked_.end() ? nullptr : &found->second;
}

Status CloneSelection::CheckPlaceholder(const ClonePlaceholder& placeholder,
                                        const Output& replaced) const {
  if (!placeholder.name.empty() && !IsValidScopeName(placeholder.name, true)) {
    return InvalidArgument("clone: input_map: '", placeholder.name, "', the placeholder for '",
                           replaced.name(), "', is not a valid name");
  }
  if (placeholder.shape && !placeholder.shape->IsCompatibleWith(replaced.shape())) {
    return InvalidArgument("clone: input_map: a placeholder of shape ", *placeholder.shape,
                           " for '", replaced.name(), "', which has shape ", replaced.shape());
  }
  return OkStatus();
}

// If there are dtype rules, the replacement of a floating tensor may have a different floating
// dtype.
bool CloneSelection::MayCast(DType wanted, DType given) const {
  return !options_.dtype.none() && IsFloating(wanted) && IsFloating(BaseType(given));
}

Status CloneSelection::ResolveReplacements() {
  const Graph* target = options_.into == nullptr ? &source_ : options_.into;
  for (const auto& [element, replacement] : options_.input_map) {
    RAMET_ASSIGN_OR_RETURN(const Endpoint e, ResolveTensor(element, "input_map"));
    const Output replaced(Operation(&source_, e.node), e.index);
    const std::string name = replaced.name();
    if (IsCut(e)) return InvalidArgument("clone: input_map: '", name, "' is replaced twice");
    if (const ClonePlaceholder* placeholder = replacement.placeholder()) {
      RAMET_RETURN_IF_ERROR(CheckPlaceholder(*placeholder, replaced));
      RAMET_RETURN_IF_ERROR(CutOrRefuse(e, "input_map"));
      asked_[EndpointKey(e)] = *placeholder;
      continue;
    }
    const Output& by = *replacement.tensor();
    if (!by.valid()) {
      return InvalidArgument("clone: input_map: the replacement of '", name,
                             "' is an invalid handle");
    }
    if (by.graph() != target) {
      return InvalidArgument("clone: input_map: '", by.name(), "', which replaces '", name,
                             "', is not an element of the clone's target graph");
    }
    const DType wanted = replaced.dtype(), given = by.dtype();
    if (IsRef(wanted) ? wanted != given : wanted != BaseType(given) && !MayCast(wanted, given)) {
      return InvalidArgument("clone: input_map: '", by.name(), "' is ", DTypeName(given), "; '",
                             name, "', which it replaces, is ", DTypeName(wanted));
    }
    if (!by.shape().IsCompatibleWith(replaced.shape())) {
      return InvalidArgument("clone: input_map: '", by.name(), "' has shape ", by.shape(), "; '",
                             name, "', which it replaces, has shape ", replaced.shape());
    }
    Cut(e);
    replacements_.emplace_back(e, by);
  }
  return OkStatus();
}

Status CloneSelection::Resolve() {
  has_cut_.assign(static_cast<size_t>(source_.num_operations()), 0);
  selected_.assign(has_cut_.size(), 0);
  const bool listed = !options_.ops.empty() || !options_.scope.empty();
  if (listed && !options_.outputs.empty()) {
    return InvalidArgument(
        "clone: outputs: use either outputs, which clones everything they need, or ops and scope");
  }
  whole_ = !listed && options_.outputs.empty();
  RAMET_RETURN_IF_ERROR(ResolveReplacements());
  RAMET_RETURN_IF_ERROR(ResolveInputs());
  for (const CloneElement& element : options_.outputs) {
    RAMET_ASSIGN_OR_RETURN(const NodeId id, ResolveOperation(element, "outputs"));
    auto is_tensor = [&] {
      const auto* name = std::get_if<std::string>(&element.element());
      return name != nullptr ? name->find(':') != std::string::npos
                             : !std::holds_alternative<Operation>(element.element());
    };
    if (is_tensor()) {
      RAMET_ASSIGN_OR_RETURN(const Endpoint e, ResolveTensor(element, "outputs"));
      if (IsCut(e)) continue;
      outputs_.push_back(e);
    } else {
      AddOutputs(id);
    }
    starts_.push_back(id);
  }
  for (const CloneElement& element : options_.ops) {
    RAMET_ASSIGN_OR_RETURN(const NodeId id, ResolveOperation(element, "ops"));
    starts_.push_back(id);
  }
  return OkStatus();
}

void CloneSelection::AddOutputs(NodeId id) {
  for (int32_t i = 0; i < impl_.nodes[id].num_outputs; ++i) outputs_.push_back({id, i});
}

}  // namespace ramet
