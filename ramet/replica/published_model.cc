#include "ramet/replica/published_model.h"

#include <algorithm>

#include "ramet/base/strings.h"
#include "ramet/replica/published_variables.h"

namespace ramet {
namespace {

Conversion ConversionOf(const std::string& name, DType dtype,
                        const std::vector<ConversionRule>& rules) {
  const auto rule = std::ranges::find_if(
      rules, [&](const ConversionRule& r) { return name.starts_with(r.prefix); });
  if (rule == rules.end() || ConvertedDType(dtype, rule->to) == dtype) return Conversion::kNone;
  return rule->to;
}

// Returns the shape of the variable's value or, if it has none, of its node.
StatusOr<Shape> ShapeOf(SessionImpl& session, const Variable& variable) {
  if (DTypeSize(variable.dtype()) == 0) {
    return Unimplemented("variable '", variable.op_name(), "' is ", DTypeName(variable.dtype()),
                         ", which cannot be published; leave it out (PublisherOptions::variables)");
  }
  const Tensor value = session.StateOf(variable.record(), true)->Read();
  Shape shape = value.empty() ? variable.shape() : value.shape();
  if (shape.IsFullyDefined()) return shape;
  return FailedPrecondition("variable '", variable.op_name(), "' has shape ", shape,
                            " and no value yet; initialize it before publishing");
}

}  // namespace

std::string Renamed(const std::string& name, const std::vector<Renaming>& rules) {
  for (const Renaming& rule : rules) {
    if (name.starts_with(rule.from)) return StrCat(rule.to, name.substr(rule.from.size()));
  }
  return name;
}

StatusOr<ModelSource> ModelSource::Make(const Session& session, std::string prefix,
                                        const std::vector<Variable>& variables,
                                        const PublisherOptions& options) {
  ModelSource source;
  source.session_ = ImplOf(session);
  source.prefix_ = std::move(prefix);
  source.variables_ = variables;
  Graph& graph = session.graph();
  if (variables.empty() && options.all_variables) {
    source.variables_ = graph.collections().Get<Variable>(graph_keys::kGlobalVariables);
  } else if (variables.empty()) {
    source.variables_ = VariablesForInference(graph);
  }
  if (source.variables_.empty()) return InvalidArgument("the graph has no variables to publish");
  for (const Variable& variable : source.variables_) {
    if (variable.graph() == &graph) continue;
    return InvalidArgument("variable '", variable.op_name(), "' belongs to a different graph than ",
                           "the session");
  }
  for (const Variable& step : graph.collections().Get<Variable>("global_step")) {
    source.global_step_ = source.session_->StateOf(step.record(), true);
  }
  return source;
}

Status ModelSource::Announce(const PublisherOptions& options, ReplicaSignature* signature,
                             std::vector<PublishedVariable>* published) const {
  for (const Variable& variable : variables_) {
    PublishedVariable v{.name = variable.op_name(), .dtype = variable.dtype()};
    RAMET_ASSIGN_OR_RETURN(v.shape, ShapeOf(*session_, variable));
    v.conversion = ConversionOf(v.name, v.dtype, options.convert);
    v.entry = signature->size();
    v.session = session_.get();
    v.state = session_->StateOf(variable.record(), true);
    const std::string source = prefix_ + v.name;
    VariableSpec spec{prefix_ + Renamed(v.name, options.rename), v.dtype, v.shape};
    if (spec.name != source) spec.source = source;
    if (v.conversion != Conversion::kNone) {
      spec.dtype = ConvertedDType(v.dtype, v.conversion);
      spec.source_dtype = v.dtype;
    }
    if (v.conversion == Conversion::kInt8) spec.scales = spec.name + ":scales";
    const std::string scales = spec.scales;
    signature->push_back(std::move(spec));
    if (!scales.empty()) {
      signature->push_back({scales, ScalesDType(v.dtype), ScalesShape(v.shape)});
    }
    published->push_back(std::move(v));
  }
  return OkStatus();
}

}  // namespace ramet
