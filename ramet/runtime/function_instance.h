#pragma once

#include "ramet/runtime/function_calls.h"
#include "ramet/runtime/node_kernels.h"

namespace ramet {

// The body of a function with a plan and kernels: what a call of it runs. Immutable once compiled.
class FunctionInstance final : public KernelSource {
 public:
  FunctionInstance(FunctionTable& table, const FunctionUse& use,
                   std::shared_ptr<const FunctionBody> body, FunctionInstance* caller);
  // \error as CompilePlan, naming the function.
  Status Compile();

  const FunctionBody& body() const { return *body_; }
  const std::string& name() const { return body_->ref.name; }
  // Whether a call of `body` may use this one.
  bool Serves(const FunctionUse& use, const FunctionBody& body) const;
  // From whose body it was called first; null: the session's graph.
  FunctionInstance* caller() const { return caller_; }
  Plan& plan() { return *plan_; }
  const ExecutorSettings& settings() const { return settings_; }
  const std::vector<DType>& result_types() const { return result_types_; }

  std::span<Device* const> devices() const override { return settings_.devices; }
  StatusOr<std::vector<int>> Place(const GraphImpl& graph, std::span<const NodeId> nodes) override;
  StatusOr<std::shared_ptr<Kernel>> KernelFor(const GraphImpl& graph, NodeId node,
                                              int device) override;
  StatusOr<std::shared_ptr<FunctionCall>> CallFor(const GraphImpl& graph, NodeId node,
                                                  const std::vector<int>& input_devices) override;

 private:
  FunctionTable& table_;
  const std::shared_ptr<const FunctionBody> body_;
  FunctionInstance* const caller_;
  const bool in_place_;
  const bool all_effects_;
  const std::vector<int> arg_devices_;
  ExecutorSettings settings_;
  std::vector<DType> result_types_;
  NodeKernels kernels_;
  std::unique_ptr<Plan> plan_;
};

}  // namespace ramet
