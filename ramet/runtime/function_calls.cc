#include "ramet/runtime/function_calls.h"

#include <algorithm>

#include "ramet/runtime/function_instance.h"

namespace ramet {
namespace {

// Beyond this many, calls share the state of kernels, because a small library can contain any
// number of calls.
constexpr size_t kMaxInstances = 10000;

bool HasState(const FunctionBody& body) {
  const GraphData& graph = GraphDataOf(*body.graph);
  ReaderLock lock(graph.mutex);
  return std::ranges::any_of(graph.nodes, [](const NodeRecord& node) {
    return !node.op->registered() || node.op->schema().is_stateful;
  });
}

std::string TypeNames(const std::vector<DType>& types) {
  std::string text;
  for (DType t : types) text += StrCat(text.empty() ? "" : ", ", DTypeName(t));
  return StrCat("[", text, "]");
}

Status CheckTypes(const FunctionUse& use, const FunctionBody& body) {
  if (use.arg_types.size() != body.args.size()) {
    return InvalidArgument("function '", use.ref.name, "' takes ", body.args.size(),
                           " arguments, but is called with ", use.arg_types.size(), ": ",
                           TypeNames(use.arg_types));
  }
  for (size_t i = 0; i < body.args.size(); ++i) {
    const DType wanted = BaseType(body.args[i].dtype());
    if (BaseType(use.arg_types[i]) == wanted) continue;
    return InvalidArgument("function '", use.ref.name, "': Expects arg[", i, "] to be ",
                           DTypeName(wanted), " but ", DTypeName(use.arg_types[i]), " is provided");
  }
  if (use.any_results) return OkStatus();
  if (use.result_types.size() != body.returns.size()) {
    return InvalidArgument("function '", use.ref.name, "' returns ", body.returns.size(),
                           " values, but ", use.result_types.size(),
                           " are expected: ", TypeNames(use.result_types));
  }
  for (size_t i = 0; i < body.returns.size(); ++i) {
    const DType found = BaseType(body.returns[i].dtype());
    if (BaseType(use.result_types[i]) == found) continue;
    return InvalidArgument("function '", use.ref.name, "': Expected type ",
                           DTypeName(use.result_types[i]), " for return value ", i, " but got ",
                           DTypeName(found), ".");
  }
  return OkStatus();
}

// Reads from a node which functions it calls.
class CallReader {
 public:
  CallReader(const NodeRecord& node, const std::vector<int>& input_devices)
      : node_(node), input_devices_(input_devices) {}

  StatusOr<std::vector<FunctionUse>> Run(FunctionCallKind kind) {
    const OpSchema& schema = node_.op->schema();
    RAMET_ASSIGN_OR_RETURN(inputs_, schema.Expand(schema.inputs, *node_.attrs));
    RAMET_ASSIGN_OR_RETURN(outputs_, schema.Expand(schema.outputs, *node_.attrs));
    switch (kind) {
      case FunctionCallKind::kCall:
      case FunctionCallKind::kGradient: RAMET_RETURN_IF_ERROR(ReadCall(kind)); break;
      case FunctionCallKind::kIf: RAMET_RETURN_IF_ERROR(ReadIf()); break;
      case FunctionCallKind::kCase: RAMET_RETURN_IF_ERROR(ReadCase()); break;
      case FunctionCallKind::kWhile: RAMET_RETURN_IF_ERROR(ReadWhile()); break;
      case FunctionCallKind::kNone: break;
    }
    return std::move(uses_);
  }

 private:
  Status ReadCall(FunctionCallKind kind) {
    if (!node_.op->registered()) {
      const bool is_inlined = !node_.attrs->GetOr<bool>("_noinline", false);
      RAMET_RETURN_IF_ERROR(Add({node_.op->name(), node_.attrs}, 0, is_inlined));
      uses_.back().all_effects = true;
      return OkStatus();
    }
    RAMET_ASSIGN_OR_RETURN(auto f, node_.attrs->Get<FunctionRef>("f"));
    const bool is_inlined = !node_.attrs->GetOr<bool>("_noinline", false);
    RAMET_RETURN_IF_ERROR(Add(std::move(f), 0, is_inlined));
    uses_.back().gradient = kind == FunctionCallKind::kGradient;
    return OkStatus();
  }

  Status ReadIf() {
    RAMET_ASSIGN_OR_RETURN(auto then_branch, node_.attrs->Get<FunctionRef>("then_branch"));
    RAMET_ASSIGN_OR_RETURN(auto else_branch, node_.attrs->Get<FunctionRef>("else_branch"));
    RAMET_RETURN_IF_ERROR(Add(std::move(then_branch), 1, IsLowered()));
    return Add(std::move(else_branch), 1, IsLowered());
  }

  Status ReadCase() {
    RAMET_ASSIGN_OR_RETURN(auto branches, node_.attrs->Get<std::vector<FunctionRef>>("branches"));
    if (branches.empty()) return InvalidArgument("attr 'branches' is empty");
    for (FunctionRef& f : branches) RAMET_RETURN_IF_ERROR(Add(std::move(f), 1, IsLowered()));
    return OkStatus();
  }

  Status ReadWhile() {
    RAMET_ASSIGN_OR_RETURN(auto cond, node_.attrs->Get<FunctionRef>("cond"));
    RAMET_ASSIGN_OR_RETURN(auto body, node_.attrs->Get<FunctionRef>("body"));
    RAMET_RETURN_IF_ERROR(Add(std::move(cond), 0, IsLowered()));
    uses_.back().any_results = true;
    return Add(std::move(body), 0, IsLowered());
  }

  bool IsLowered() const { return node_.attrs->GetOr<bool>("_lower_using_switch_merge", false); }

  Status Add(FunctionRef ref, size_t first_arg, bool is_inlined) {
    FunctionUse use;
    use.ref = std::move(ref);
    use.is_inlined = is_inlined;
    use.all_effects = !is_inlined && node_.op->registered() &&
                      FunctionCallOf(*node_.op) != FunctionCallKind::kCall;
    use.arg_types.assign(inputs_.begin() + first_arg, inputs_.end());
    use.result_types = outputs_;
    if (!input_devices_.empty()) {
      use.arg_devices.assign(input_devices_.begin() + first_arg, input_devices_.end());
    }
    uses_.push_back(std::move(use));
    return OkStatus();
  }

  const NodeRecord& node_;
  const std::vector<int>& input_devices_;
  std::vector<DType> inputs_, outputs_;
  std::vector<FunctionUse> uses_;
};

}  // namespace

StatusOr<FunctionInstance*> CallTarget::Make() {
  RAMET_ASSIGN_OR_RETURN(FunctionInstance * made, table_.Instantiate(use_, caller_));
  FunctionInstance* first = nullptr;
  if (instance_.compare_exchange_strong(first, made, std::memory_order_acq_rel)) return made;
  return first;
}

StatusOr<std::shared_ptr<FunctionCall>> FunctionCall::Make(const NodeRecord& node,
                                                           const std::vector<int>& input_devices,
                                                           FunctionTable& table,
                                                           FunctionInstance* caller) {
  auto call = std::make_shared<FunctionCall>();
  call->kind_ = FunctionCallOf(*node.op);
  if (call->kind_ == FunctionCallKind::kNone && !node.op->registered() &&
      table.IsFunction(node.op->name())) {
    call->kind_ = FunctionCallKind::kCall;
  }
  if (call->kind_ == FunctionCallKind::kNone) return std::shared_ptr<FunctionCall>();
  RAMET_ASSIGN_OR_RETURN(auto uses, CallReader(node, input_devices).Run(call->kind_));
  for (FunctionUse& use : uses) {
    call->targets_.push_back(std::make_unique<CallTarget>(std::move(use), table, caller));
  }
  return call;
}

FunctionTable::FunctionTable(const Graph& graph, const ExecutorSettings& settings,
                             const PlacerOptions& placer)
    : graph_(graph), settings_(settings), placer_(placer) {}

FunctionTable::~FunctionTable() = default;

StatusOr<FunctionInstance*> FunctionTable::Instantiate(const FunctionUse& use,
                                                       FunctionInstance* caller) {
  RAMET_ASSIGN_OR_RETURN(auto body, use.gradient ? FindGradientFunction(graph_, use.ref)
                                                 : FindFunction(graph_, use.ref));
  RAMET_RETURN_IF_ERROR(CheckTypes(use, *body));
  for (FunctionInstance* f = caller; f != nullptr; f = f->caller()) {
    if (f->Serves(use, *body)) return f;
  }
  MutexLock lock(mutex_);
  if (use.is_inlined && instances_.size() < kMaxInstances && HasState(*body)) {
    return Add(use, std::move(body), caller);
  }
  const Key key{body.get(), use.is_inlined, use.all_effects, use.arg_devices};
  if (auto it = shared_.find(key); it != shared_.end()) return it->second;
  RAMET_ASSIGN_OR_RETURN(FunctionInstance * made, Add(use, std::move(body), caller));
  shared_.emplace(key, made);
  return made;
}

StatusOr<FunctionInstance*> FunctionTable::Add(const FunctionUse& use,
                                               std::shared_ptr<const FunctionBody> body,
                                               FunctionInstance* caller) {
  auto made = std::make_unique<FunctionInstance>(*this, use, std::move(body), caller);
  RAMET_RETURN_IF_ERROR(made->Compile());
  instances_.push_back(std::move(made));
  return instances_.back().get();
}

}  // namespace ramet
