#include "ramet/edit/clone/boundary.h"

#include "ramet/edit/clone/elements.h"
#include "ramet/graph/names.h"

namespace ramet {
namespace {

Status CheckPlaceholder(const ClonePlaceholder& placeholder, const Output& replaced) {
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

}  // namespace

CloneBoundary::CloneBoundary(const Graph& source, const CloneOptions& options)
    : source_(source), options_(options) {}

Status CloneBoundary::Resolve() {
  has_cut_.assign(static_cast<size_t>(source_.num_operations()), 0);
  const bool listed = !options_.ops.empty() || !options_.scope.empty();
  if (listed && !options_.outputs.empty()) {
    return InvalidArgument(
        "clone: outputs: use either outputs, which clones everything they need, or ops and scope");
  }
  whole_ = !listed && options_.outputs.empty();
  RAMET_RETURN_IF_ERROR(ResolveReplacements());
  RAMET_RETURN_IF_ERROR(ResolveInputs());
  RAMET_RETURN_IF_ERROR(ResolveOutputs());
  for (const GraphElement& element : options_.ops) {
    RAMET_ASSIGN_OR_RETURN(const NodeId id, ResolveOperation(source_, element, "ops"));
    roots_.push_back(id);
  }
  return OkStatus();
}

Status CloneBoundary::ResolveReplacements() {
  for (const auto& [element, replacement] : options_.input_map) {
    RAMET_ASSIGN_OR_RETURN(const Endpoint e, ResolveTensor(source_, element, "input_map"));
    RAMET_RETURN_IF_ERROR(ResolveReplacement(e, replacement));
  }
  return OkStatus();
}

Status CloneBoundary::ResolveReplacement(Endpoint e, const CloneReplacement& replacement) {
  const Output replaced(Operation(&source_, e.node), e.index);
  if (IsCut(e)) {
    return InvalidArgument("clone: input_map: '", replaced.name(), "' is replaced twice");
  }
  if (const ClonePlaceholder* placeholder = replacement.placeholder()) {
    RAMET_RETURN_IF_ERROR(CheckPlaceholder(*placeholder, replaced));
    RAMET_RETURN_IF_ERROR(CutAtPlaceholder(e, "input_map"));
    requested_[EndpointKey(e)] = *placeholder;
    return OkStatus();
  }
  RAMET_RETURN_IF_ERROR(CheckReplacement(replaced, *replacement.tensor()));
  Cut(e);
  replacements_.emplace_back(e, *replacement.tensor());
  return OkStatus();
}

Status CloneBoundary::CheckReplacement(const Output& replaced, const Output& by) const {
  const std::string name = replaced.name();
  if (!by.valid()) {
    return InvalidArgument("clone: input_map: the replacement of '", name,
                           "' is an invalid handle");
  }
  const Graph* target = options_.into == nullptr ? &source_ : options_.into;
  if (by.graph() != target) {
    return InvalidArgument("clone: input_map: '", by.name(), "', which replaces '", name,
                           "', is not an element of the clone's target graph");
  }
  // If there are dtype rules, a floating tensor may get a different floating dtype.
  const DType wanted = replaced.dtype(), given = by.dtype();
  const bool may_cast = !options_.dtype.none() && IsFloating(wanted) && IsFloating(BaseType(given));
  if (IsRef(wanted) ? wanted != given : wanted != BaseType(given) && !may_cast) {
    return InvalidArgument("clone: input_map: '", by.name(), "' is ", DTypeName(given), "; '", name,
                           "', which it replaces, is ", DTypeName(wanted));
  }
  if (!by.shape().IsCompatibleWith(replaced.shape())) {
    return InvalidArgument("clone: input_map: '", by.name(), "' has shape ", by.shape(), "; '",
                           name, "', which it replaces, has shape ", replaced.shape());
  }
  return OkStatus();
}

Status CloneBoundary::ResolveInputs() {
  for (const GraphElement& element : options_.inputs) {
    RAMET_ASSIGN_OR_RETURN(const Endpoint e, ResolveTensor(source_, element, "inputs"));
    if (IsCut(e)) continue;
    if (Operation(&source_, e.node).type() == "Placeholder") {
      roots_.push_back(e.node);
      continue;
    }
    RAMET_RETURN_IF_ERROR(CutAtPlaceholder(e, "inputs"));
  }
  return OkStatus();
}

Status CloneBoundary::ResolveOutputs() {
  for (const GraphElement& element : options_.outputs) {
    RAMET_ASSIGN_OR_RETURN(const NodeId id, ResolveOperation(source_, element, "outputs"));
    if (IsTensorElement(element)) {
      RAMET_ASSIGN_OR_RETURN(const Endpoint e, ResolveTensor(source_, element, "outputs"));
      if (IsCut(e)) continue;
      outputs_.push_back(e);
    } else {
      const int32_t count = Operation(&source_, id).num_outputs();
      for (int32_t i = 0; i < count; ++i) outputs_.push_back({id, i});
    }
    roots_.push_back(id);
  }
  return OkStatus();
}

void CloneBoundary::Cut(Endpoint e) {
  cut_keys_.insert(EndpointKey(e));
  has_cut_[static_cast<size_t>(e.node)] = 1;
}

Status CloneBoundary::CutAtPlaceholder(Endpoint e, const char* argument) {
  const Output tensor(Operation(&source_, e.node), e.index);
  if (IsRef(tensor.dtype())) {
    return InvalidArgument("clone: ", argument, ": '", tensor.name(),
                           "' is a reference to a variable; name a tensor that reads it");
  }
  Cut(e);
  cuts_.push_back(e);
  return OkStatus();
}

const ClonePlaceholder* CloneBoundary::RequestedPlaceholder(Endpoint cut) const {
  auto found = requested_.find(EndpointKey(cut));
  return found == requested_.end() ? nullptr : &found->second;
}

}  // namespace ramet
