#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/mutex.h"
#include "ramet/eager/eager_value.h"
#include "ramet/graph/graph.h"
#include "ramet/runtime/executable.h"
#include "ramet/runtime/function_calls.h"
#include "ramet/runtime/node_kernels.h"

namespace ramet {

struct EagerGradientFunction;

// The part of a graph that an EagerFunction runs. An arg may be any tensor of the graph; a run gets
// its value instead of computing it. No arg occurs twice.
struct EagerFunctionParts {
  std::shared_ptr<Graph> graph;
  std::vector<Output> args;
  std::vector<Output> returns;
  std::vector<Operation> controls;  // operations that run in addition to what the returns need
};

// An EagerFunction is a compiled piece of a graph that eager execution runs: one operation, or the
// gradient of another EagerFunction, whose graph it shares. Kernels keep their state between runs.
// Thread-safe.
class RAMET_EXPORT EagerFunction final : public KernelSource {
 public:
  // Compiles the parts. The table must outlive the function.
  // \error as for CompilePlan.
  static StatusOr<std::shared_ptr<EagerFunction>> Make(EagerFunctionParts parts,
                                                       FunctionTable& table);

  // Runs once. `args` and `results` have one element for each arg and return.
  // \error the error of the first step that fails, with the name of its node.
  // \error kCancelled: the calling thread's RunInterrupt ended the run.
  Status Run(std::span<const EagerValue> args, std::span<EagerValue> results);

  const EagerFunctionParts& parts() const { return parts_; }
  // The operation that the function was made for; invalid for a gradient.
  const Operation& op() const { return op_; }
  void set_op(Operation op) { op_ = op; }
  // Reports whether a result may keep a handle that it is computed from.
  bool keeps_handles() const { return keeps_handles_; }
  FunctionTable& table() const { return table_; }

  // The gradients of this function that have been built, by GradientKey. Their graph is this one's,
  // so they are built one at a time.
  struct Gradients {
    Mutex mutex;
    std::map<std::string, std::shared_ptr<const EagerGradientFunction>, std::less<>> by_key
        RAMET_GUARDED_BY(mutex);
  };
  Gradients& gradients() { return gradients_; }

  const ExecutorSettings& settings() const override { return settings_; }
  StatusOr<std::vector<int>> Place(const GraphData& graph, std::span<const NodeId> nodes) override;
  StatusOr<std::shared_ptr<Kernel>> KernelFor(const GraphData& graph, NodeId node,
                                              int device) override;
  StatusOr<std::shared_ptr<FunctionCall>> CallFor(const GraphData& graph, NodeId node,
                                                  const std::vector<int>& input_devices) override;

 private:
  EagerFunction(EagerFunctionParts parts, FunctionTable& table);
  Status Compile();
  // Makes the handle that a run returned keep its variable alive.
  void Own(std::span<const EagerValue> args, EagerValue* result) const;

  const EagerFunctionParts parts_;
  FunctionTable& table_;
  Operation op_;
  ExecutorSettings settings_;
  std::vector<DType> result_types_;
  bool keeps_handles_ = false;
  NodeKernels kernels_;
  std::unique_ptr<Executable> executable_;
  Gradients gradients_;
};

}  // namespace ramet
