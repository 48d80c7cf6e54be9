#pragma once

#include <memory>
#include <vector>

#include "core.h"
#include "op_signature.h"

namespace ramet::python {

// Returns the context of the process that runs operations eagerly. Raises RuntimeError if eager
// execution was never used.
EagerContext& TheEagerContext();

// A compiled operation that can be run on values.
struct EagerCall {
  std::shared_ptr<EagerFunction> function;
  bool may_block = false;  // an op that may call the program or wait for other threads

  // Runs the operation. Raises the tf.errors class of a failure, with TensorFlow's message.
  void Run(std::span<const EagerValue> args, std::span<EagerValue> results) const;
  // Returns all results as EagerTensors.
  nb::list RunAll(std::span<const EagerValue> args) const;
  std::shared_ptr<const AttrMap> attrs() const { return OperationOf(*function).attrs(); }
};

// The arguments of a call, with the values of eager variables instead of the variables. The values
// are read once.
class EagerArguments {
 public:
  EagerArguments(const Signature& signature, PyObject* const* values);
  PyObject* const* get() const { return read_.empty() ? values_ : read_.data(); }

 private:
  PyObject* const* values_;
  std::vector<PyObject*> read_;
  std::vector<nb::object> held_;
};

// Raises RuntimeError for an op that takes references of variables.
void CheckEager(const OpSchema& schema);
// Raises InvalidArgumentError for an input whose dtype differs from that of an earlier one.
[[noreturn]] void RaiseWrongType(const std::string& op, size_t input, DType wanted, DType found);
// Raises InvalidArgumentError for a dtype that an attr of an op does not allow.
[[noreturn]] void RaiseNotAllowed(const AttrSchema& attr, DType type);
// Returns an EagerTensor with the value of a Const. A new reference.
PyObject* EagerConstant(const AttrMap& attrs);
// Compiles an operation for values with these dtypes, on the current device.
EagerCall CompileCall(PyGraph* graph, const std::string& op, AttrMap attrs,
                      std::span<const EagerValue> args);

// Lets tapes use fn(op, [gradients of the outputs]) -> [gradients of the inputs] for an op type.
void AddEagerGradient(const std::string& type, nb::object fn);

// Keeps a call so that the next one with arguments of the same kinds skips the conversions: the
// attrs must be equal, and tensors have the same dtypes. Does nothing if the arguments cannot be
// compared quickly.
void RememberCall(const Signature& signature, PyObject* const* values,
                  std::span<const EagerValue> args, const EagerCall& call);
// Runs a remembered call and returns its result. Returns null, without an error, if none fits the
// arguments or the default graph is not eager.
PyObject* RunRemembered(const Signature& signature, PyObject* const* values);

}  // namespace ramet::python
