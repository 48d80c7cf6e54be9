#include "ramet/gradients/branch_gradients.h"

#include <algorithm>
#include <compare>
#include <map>

#include "ramet/gradients/between_set.h"
#include "ramet/gradients/call_rewrite.h"
#include "ramet/gradients/symbolic_gradient.h"
#include "ramet/graph/extend_operation.h"

namespace ramet {
namespace {

// The functions of an op, and the number of inputs before their arguments.
struct Layout {
  std::vector<FunctionRef> functions;
  int offset = 0;
  bool has_shapes = false;
};

StatusOr<Layout> LayoutOf(const Operation& op) {
  Layout layout;
  layout.has_shapes = !op.type().ends_with("PartitionedCall");
  layout.offset = layout.has_shapes ? 1 : 0;
  if (op.type().ends_with("Case")) {
    RAMET_ASSIGN_OR_RETURN(layout.functions, op.attr<std::vector<FunctionRef>>("branches"));
    return layout;
  }
  const std::vector<const char*> names =
      layout.has_shapes ? std::vector{"then_branch", "else_branch"} : std::vector{"f"};
  for (const char* name : names) {
    RAMET_ASSIGN_OR_RETURN(layout.functions.emplace_back(), op.attr<FunctionRef>(name));
  }
  return layout;
}

void SetFunctions(const std::string& op, const std::vector<FunctionRef>& functions,
                  AttrMap* attrs) {
  if (op.ends_with("Case")) {
    attrs->Set("branches", functions);
  } else if (functions.size() == 2) {
    attrs->Set("then_branch", functions[0]);
    attrs->Set("else_branch", functions[1]);
  } else {
    attrs->Set("f", functions[0]);
  }
}

// Builds the gradient of one call.
class BranchDifferentiator {
 public:
  BranchDifferentiator(GradientContext& c, Layout layout)
      : c_(c), op_(c.op()), graph_(c.graph()), layout_(std::move(layout)) {}

  Status Run() {
    RAMET_RETURN_IF_ERROR(DifferentiateBranches());
    if (wanted_.empty()) return ReturnNone();
    for (size_t b = 0; b < branches_.size(); ++b) {
      RAMET_RETURN_IF_ERROR(branches_[b].body->Capture(&branches_[b].grads));
    }
    FindCaptures();
    RAMET_RETURN_IF_ERROR(ExtendForward());
    return AddGradientCall();
  }

 private:
  // The position of a tensor of one branch that its gradient reads: an input or output of the
  // forward call.
  struct Source {
    int input = -1, output = -1;
    auto operator<=>(const Source&) const = default;
  };
  struct Branch {
    std::unique_ptr<BodyGradient> body;
    std::vector<Output> grads;  // one per element of wanted_
    // The counterpart of each capture in this branch; invalid if the branch does not need it.
    std::vector<Output> captures;
  };

  Status DifferentiateBranches() {
    const size_t num_args = static_cast<size_t>(op_.num_inputs() - layout_.offset);
    for (const FunctionRef& function : layout_.functions) {
      Branch& branch = branches_.emplace_back();
      RAMET_ASSIGN_OR_RETURN(branch.body, BodyGradient::New(graph_, function));
      const FunctionBody& body = branch.body->body();
      if (body.args.size() != num_args ||
          body.returns.size() != static_cast<size_t>(op_.num_outputs())) {
        return InvalidArgument("function '", function.name, "' takes ", body.args.size(),
                               " and returns ", body.returns.size(), " tensors, but the call has ",
                               num_args, " arguments and ", op_.num_outputs(), " outputs");
      }
      RAMET_RETURN_IF_ERROR(branch.body->Differentiate(Arriving()));
    }
    for (size_t i = 0; i < num_args; ++i) {
      DType dtype = DType::kInvalid;
      for (const Branch& branch : branches_) {
        const Output& g = branch.body->arg_grads()[i];
        if (g.valid()) dtype = BaseType(g.dtype());
      }
      if (dtype == DType::kInvalid) continue;
      wanted_.push_back(i);
      for (Branch& branch : branches_) {
        const Output& g = branch.body->arg_grads()[i];
        branch.grads.push_back(g.valid() ? g : branch.body->ZerosFor(i, dtype));
      }
    }
    return OkStatus();
  }

  std::vector<bool> Arriving() const {
    std::vector<bool> arrives;
    for (int i = 0; i < op_.num_outputs(); ++i) {
      const DType dtype = BaseType(op_.output(i).dtype());
      arrives.push_back(c_.raw_grad(i).exists() && dtype != DType::kResource &&
                        IsTrainableType(dtype));
    }
    return arrives;
  }

  Status ReturnNone() {
    return c_.Return(std::vector<Gradient>(static_cast<size_t>(op_.num_inputs())));
  }

  // Uses tensors that the call already has; the others become outputs.
  void FindCaptures() {
    std::map<Source, size_t> positions;  // in sources_
    for (size_t b = 0; b < branches_.size(); ++b) {
      const BodyGradient& body = *branches_[b].body;
      for (const Output& capture : body.captures()) {
        Source source;
        source.input = body.ArgOf(capture);
        if (source.input < 0) source.output = body.ReturnOf(capture);
        if (source.input < 0 && source.output < 0) {
          source.output = op_.num_outputs() + static_cast<int>(extras_.size());
          extras_.push_back({b, capture});
        }
        const auto [known, added] = positions.try_emplace(source, sources_.size());
        if (added) sources_.push_back(source);
        branches_[b].captures.resize(sources_.size());
        branches_[b].captures[known->second] = capture;
      }
    }
    for (Branch& branch : branches_) branch.captures.resize(sources_.size());
  }

  Status ExtendForward() {
    if (extras_.empty()) return OkStatus();
    std::vector<FunctionRef> functions;
    for (size_t b = 0; b < branches_.size(); ++b) {
      std::vector<Output> returns;
      for (const auto& [owner, output] : extras_) {
        returns.push_back(owner == b ? output : Stand(*branches_[b].body, output));
      }
      RAMET_RETURN_IF_ERROR(branches_[b].body->graph().status());
      const std::string name = ForwardNameFor(graph_, layout_.functions[b]);
      RAMET_RETURN_IF_ERROR(
          DefineForward(graph_, *branches_[b].body, name, {}, returns, layout_.has_shapes));
      functions.push_back({name, std::make_shared<const AttrMap>()});
    }
    AttrMap attrs = *op_.attrs();
    SetFunctions(op_.type(), functions, &attrs);
    auto types = attrs.GetOr<std::vector<DType>>("Tout", {});
    auto shapes = attrs.GetOr<std::vector<Shape>>("output_shapes", {});
    if (shapes.empty()) shapes.resize(types.size(), Shape::Unknown());
    for (const auto& [owner, output] : extras_) {
      types.push_back(BaseType(output.dtype()));
      shapes.push_back(output.shape());
    }
    attrs.Set("Tout", std::move(types));
    if (layout_.has_shapes) attrs.Set("output_shapes", shapes);
    RAMET_RETURN_IF_ERROR(ExtendOperation(op_, std::move(attrs), {}));
    for (size_t i = shapes.size() - extras_.size(); i < shapes.size(); ++i) {
      RAMET_RETURN_IF_ERROR(graph_.SetShape(op_.output(static_cast<int>(i)), shapes[i]));
    }
    return OkStatus();
  }

  // The placeholder that a branch returns for a tensor of a different branch.
  static Output Stand(BodyGradient& body, const Output& output) {
    return AddOp(body.graph(), "FakeParam", {},
                 {{"dtype", BaseType(output.dtype())}, {"shape", output.shape()}})
        .output(0);
  }

  Status AddGradientCall() {
    std::vector<Input> inputs;
    if (layout_.offset > 0) inputs.emplace_back(op_.input(0));
    std::vector<DType> in_types, out_types;
    for (int i = 0; i < op_.num_outputs() && i < static_cast<int>(NumGradYs()); ++i) {
      if (!branches_[0].body->grad_ys()[static_cast<size_t>(i)].valid()) continue;
      inputs.emplace_back(c_.grad(i));
      in_types.push_back(BaseType(op_.output(i).dtype()));
    }
    for (const Source& source : sources_) {
      const Output tensor =
          source.input >= 0 ? op_.input(source.input + layout_.offset) : op_.output(source.output);
      inputs.emplace_back(tensor);
      in_types.push_back(BaseType(tensor.dtype()));
    }
    bool stateful = false;
    RAMET_ASSIGN_OR_RETURN(const std::vector<FunctionRef> functions,
                           DefineGradients(in_types, &stateful));
    for (const Output& g : branches_[0].grads) out_types.push_back(BaseType(g.dtype()));
    AttrMap attrs = AttrsOfGradientCall(*op_.attrs());
    SetFunctions(op_.type(), functions, &attrs);
    attrs.Set("Tin", std::move(in_types));
    attrs.Set("Tout", std::move(out_types));
    if (layout_.has_shapes) attrs.Set("output_shapes", ShapesOfGradients());
    const std::string type = stateful ? StatefulOp(op_.type()) : StatelessOp(op_.type());
    const Operation call = c_.AddOperation(type, inputs, std::move(attrs), op_.name());
    RAMET_RETURN_IF_ERROR(graph_.status());
    std::vector<Gradient> grads(static_cast<size_t>(op_.num_inputs()));
    for (size_t i = 0; i < wanted_.size(); ++i) {
      grads[wanted_[i] + static_cast<size_t>(layout_.offset)] = call.output(static_cast<int>(i));
    }
    return c_.Return(std::move(grads));
  }

  size_t NumGradYs() const { return branches_[0].body->grad_ys().size(); }

  std::vector<Shape> ShapesOfGradients() const {
    std::vector<Shape> shapes;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      const Output x = op_.input(static_cast<int>(wanted_[i]) + layout_.offset);
      const DType dtype = BaseType(x.dtype());
      const bool known = dtype != DType::kResource && dtype != DType::kVariant;
      shapes.push_back(known ? x.shape() : Shape::Unknown());
    }
    return shapes;
  }

  StatusOr<std::vector<FunctionRef>> DefineGradients(const std::vector<DType>& in_types,
                                                     bool* stateful) {
    std::vector<FunctionRef> functions;
    for (size_t b = 0; b < branches_.size(); ++b) {
      Branch& branch = branches_[b];
      BodyGradient& body = *branch.body;
      FunctionSpec spec{.name = GradientNameFor(graph_, layout_.functions[b])};
      std::ranges::copy_if(body.grad_ys(), std::back_inserter(spec.args), &Output::valid);
      const size_t first = spec.args.size();
      for (size_t i = 0; i < sources_.size(); ++i) {
        const Output& capture = branch.captures[i];
        spec.args.push_back(capture.valid() ? capture
                                            : body.AddPlaceholder(in_types[first + i], "unused"));
      }
      spec.returns = branch.grads;
      spec.inside = [&body](NodeId id) { return body.IsGradient(id); };
      RAMET_RETURN_IF_ERROR(DefineFunction(graph_, body.graph(), spec));
      *stateful = *stateful || body.IsStateful(branch.grads);
      functions.push_back({spec.name, std::make_shared<const AttrMap>()});
    }
    return functions;
  }

  GradientContext& c_;
  const Operation& op_;
  Graph& graph_;
  const Layout layout_;
  std::vector<Branch> branches_;
  std::vector<size_t> wanted_;   // the args that have a gradient
  std::vector<Source> sources_;  // of captured tensors, in the order of the gradient's inputs
  std::vector<std::pair<size_t, Output>> extras_;  // new outputs, with their branch
};

}  // namespace

Status BranchGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(Layout layout, LayoutOf(c.op()));
  for (const FunctionRef& function : layout.functions) {
    if (layout.functions.size() > 1) break;
    const bool has_own = !GradientFunctionName(c.graph(), function.name).empty();
    if (has_own || GradientMustWait(function)) return SymbolicCallGradient(c);
  }
  return BranchDifferentiator(c, std::move(layout)).Run();
}

}  // namespace ramet
