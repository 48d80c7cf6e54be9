#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/gradients/gradient_context.h"

namespace ramet {

// A gradient function.
using GradientFunction = std::function<Status(GradientContext& context)>;

// A GradientRegistry holds the gradient functions that programs add to those of registered ops
// (tf.RegisterGradient). A function is registered for an op type, whose gradient it then overrides,
// or under an arbitrary name for nodes with that "_gradient_op_type" attr
// (Graph.gradient_override_map). Thread-safe.
class RAMET_EXPORT GradientRegistry {
 public:
  static GradientRegistry& Global();
  // \error kAlreadyExists: `name` is registered already.
  // \error kInvalidArgument: `name` or the function is empty.
  Status Register(std::string_view name, GradientFunction function);
  // Removes a registration. Returns false if there is none.
  bool Unregister(std::string_view name);

  // Returns the gradient function of an operation: the one registered for its "_gradient_op_type",
  // else for its type, else the op's own. Returns an empty function if the op is declared to have
  // no gradient.
  // \error kNotFound: "No gradient defined for operation 'n' (op type: T)".
  StatusOr<GradientFunction> Find(const Operation& op) const;

 private:
  struct Impl;
  GradientRegistry();
  Impl* impl_;
};

}  // namespace ramet
