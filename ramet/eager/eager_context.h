#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/eager/eager_value.h"
#include "ramet/graph/graph.h"
#include "ramet/runtime/session.h"

namespace ramet {

class EagerFunction;

// Identifies an eager operation: equal specs are compiled once.
struct EagerOpSpec {
  std::string op;
  AttrMap attrs;
  std::vector<DType> input_types;
  std::string device;
  bool operator==(const EagerOpSpec& other) const = default;
};

// An EagerContext executes operations as soon as they are called, without a graph: it owns the
// devices, the resources, and the compiled operations. It may call the functions of the library of
// a graph. Thread-safe.
class RAMET_EXPORT EagerContext {
 public:
  // `library` must outlive the context.
  // \error as for SessionEnvironment::Make.
  static StatusOr<std::unique_ptr<EagerContext>> Make(const Graph& library,
                                                      const SessionOptions& options);
  ~EagerContext();
  EagerContext(const EagerContext&) = delete;
  EagerContext& operator=(const EagerContext&) = delete;

  // Returns the compiled operation. Equal specs give the same one, so that kernels keep their
  // state, such as that of random numbers. It is compiled on first use.
  // \error as for Graph::AddNode and CompilePlan.
  StatusOr<std::shared_ptr<EagerFunction>> FunctionFor(const EagerOpSpec& spec);
  // Runs a function and records it on the tapes of the calling thread.
  // \error as for EagerFunction::Run.
  Status Execute(const std::shared_ptr<EagerFunction>& function, std::span<const EagerValue> args,
                 std::span<EagerValue> results);
  // Returns the results of an operation with one result.
  // \error as for FunctionFor and Execute.
  StatusOr<EagerValue> Apply(const EagerOpSpec& spec, std::span<const EagerValue> args);
  // Returns the sum of gradients of one value; there is at least one.
  // \error as for SumFunction and Execute.
  StatusOr<EagerGradient> Sum(std::span<const EagerGradient> gradients);

  // Drops all compiled operations, and with them the state of their kernels.
  void Forget();
  // Increases when operations are dropped.
  int64_t generation() const;
  // Returns full names, such as "/job:localhost/replica:0/task:0/device:CPU:0".
  std::vector<std::string> ListDevices() const;

 private:
  struct Impl;
  explicit EagerContext(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

// Returns the operation that a function was compiled for.
RAMET_EXPORT const Operation& OperationOf(const EagerFunction& function);
RAMET_EXPORT int NumResultsOf(const EagerFunction& function);

}  // namespace ramet
