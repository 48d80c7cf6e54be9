#include "ramet/gradients/gradient_registry.h"

#include <map>

#include "ramet/base/mutex.h"
#include "ramet/gradients/symbolic_gradient.h"
#include "ramet/graph_def/function.h"
#include "ramet/op/function_call.h"

namespace ramet {

struct GradientRegistry::Impl {
  mutable SharedMutex mutex;
  std::map<std::string, GradientFunction, std::less<>> functions RAMET_GUARDED_BY(mutex);

  GradientFunction Find(std::string_view name) const {
    ReaderLock lock(mutex);
    auto it = functions.find(name);
    return it == functions.end() ? GradientFunction() : it->second;
  }
};

GradientRegistry::GradientRegistry() : impl_(new Impl) {}

GradientRegistry& GradientRegistry::Global() {
  static GradientRegistry* const registry = new GradientRegistry;
  return *registry;
}

Status GradientRegistry::Register(std::string_view name, GradientFunction function) {
  if (name.empty() || !function) {
    return InvalidArgument("a gradient function needs a name and a callable; got name '", name,
                           "'");
  }
  WriterLock lock(impl_->mutex);
  if (!impl_->functions.try_emplace(std::string(name), std::move(function)).second) {
    return AlreadyExists("a gradient function is already registered under '", name,
                         "'; unregister it first, or choose another name");
  }
  return OkStatus();
}

bool GradientRegistry::Unregister(std::string_view name) {
  WriterLock lock(impl_->mutex);
  auto it = impl_->functions.find(name);
  if (it == impl_->functions.end()) return false;
  impl_->functions.erase(it);
  return true;
}

StatusOr<GradientFunction> GradientRegistry::Find(const Operation& op) const {
  std::shared_ptr<const AttrMap> attrs = op.attrs();
  const std::string type = attrs->GetOr<std::string>("_gradient_op_type", op.type());
  if (GradientFunction function = impl_->Find(type)) return function;
  const Op* definition = type == op.type() ? &op.op() : OpRegistry::Global().Find(type);
  if (definition == nullptr && FunctionCallOf(op.op()) != FunctionCallKind::kNone) {
    definition = &op.op();
  }
  if (definition != nullptr && !definition->registered() && HasFunction(*op.graph(), type)) {
    return GradientFunction(SymbolicCallGradient);
  }
  if (definition != nullptr && definition->gradient() != nullptr) {
    return GradientFunction(definition->gradient());
  }
  if (definition != nullptr && definition->not_differentiable()) return GradientFunction();
  return NotFound("No gradient defined for operation '", op.name(), "' (op type: ", type,
                  "). Register one with GradientRegistry, or cut it off with StopGradient");
}

}  // namespace ramet
