#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ramet/op/kernel.h"

namespace ramet {

// A CallContext bounds a call of a function: the conditions that end it early, and the values of a
// publisher that its variables have. Both may be null.
struct CallContext {
  const Cancellation* cancellation = nullptr;
  const FollowedValues* followed = nullptr;
};

// A LibraryFunction is a function of the graph's library, compiled for one session. Calls do not
// depend on the run that made it. Its kernels keep their state between calls. Thread-safe.
class LibraryFunction {
 public:
  virtual ~LibraryFunction() = default;
  // Calls the function with `args`, then `captured`. Takes the tensors out of `args`. The results
  // are in host memory.
  // \error kInvalidArgument: the number or the dtypes of the arguments are wrong.
  // \error kCancelled: the session is closed, or the cancellation is due.
  // \error the error of the first step that fails.
  virtual StatusOr<std::vector<Tensor>> Call(std::span<Tensor> args,
                                             std::span<const Value> captured,
                                             const CallContext& context) = 0;
  // Returns the types of the operations with state or side effects in the function and in the
  // functions that it calls.
  virtual std::vector<std::string> StatefulOps() const = 0;
};

// The dtypes that the results of a function must have, if any are required.
using ResultTypes = std::optional<std::vector<DType>>;

// A FunctionRunner lets kernels call functions of the graph's library: at any time, on any thread,
// with arguments that no node passes. Each session has one, which runs functions on the CPU.
// Thread-safe.
class FunctionRunner : public Resource {
 public:
  // Finds the runner of the session that the store belongs to.
  // \error kFailedPrecondition: the kernel does not run in a session.
  static StatusOr<std::shared_ptr<FunctionRunner>> Of(const ResourceStore& store);
  static void Install(std::shared_ptr<FunctionRunner> runner, ResourceStore& store);

  std::string_view type_name() const override { return "function runner"; }
  // Compiles a function whose arguments and results have these dtypes, or any results if
  // `results` is empty. It has state of its own.
  // \error kNotFound: the library has no such function.
  // \error kInvalidArgument: the arguments or results of the function have other dtypes.
  // \error kCancelled: the session is closed.
  virtual StatusOr<std::shared_ptr<LibraryFunction>> Instantiate(const FunctionRef& function,
                                                                 std::vector<DType> args,
                                                                 ResultTypes results) = 0;
  // Returns the token that is cancelled when the session is closed.
  virtual CancellationToken& closed() = 0;
};

}  // namespace ramet
