#pragma once

#include "ramet/runtime/executable.h"
#include "ramet/runtime/function_calls.h"
#include "ramet/runtime/node_kernels.h"

namespace ramet {

// A FunctionInstance is a function body with its plan and kernels. Immutable once compiled.
class FunctionInstance final : public KernelSource {
 public:
  FunctionInstance(FunctionTable& table, const FunctionUse& use,
                   std::shared_ptr<const FunctionBody> body, FunctionInstance* caller);
  // Compiles the plan.
  // \error as for CompilePlan. The message names the function.
  Status Compile();

  const FunctionBody& body() const { return *body_; }
  const std::string& name() const { return body_->ref.name; }
  // Reports whether a call of `body` as `use` may use this instance.
  bool Serves(const FunctionUse& use, const FunctionBody& body) const;
  // Returns the function that called it first; null for the session's graph.
  FunctionInstance* caller() const { return caller_; }
  Executable& executable() { return *executable_; }
  const std::vector<DType>& result_types() const { return result_types_; }

  const ExecutorSettings& settings() const override { return settings_; }
  StatusOr<std::vector<int>> Place(const GraphData& graph, std::span<const NodeId> nodes) override;
  StatusOr<std::shared_ptr<Kernel>> KernelFor(const GraphData& graph, NodeId node,
                                              int device) override;
  StatusOr<std::shared_ptr<FunctionCall>> CallFor(const GraphData& graph, NodeId node,
                                                  const std::vector<int>& input_devices) override;

 private:
  FunctionTable& table_;
  const std::shared_ptr<const FunctionBody> body_;
  FunctionInstance* const caller_;
  const bool is_inlined_;
  const bool all_effects_;
  const std::vector<int> arg_devices_;
  ExecutorSettings settings_;
  std::vector<DType> result_types_;
  NodeKernels kernels_;
  std::unique_ptr<Executable> executable_;
};

}  // namespace ramet
