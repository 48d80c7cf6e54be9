#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/gradients/gradient_context.h"

namespace ramet {

// Any callable as a gradient function.
using GradientFunction = std::function<Status(GradientContext& context)>;

// A GradientRegistry holds the gradient functions that programs add to those of the registered ops
// (tf.RegisterGradient): under an op type, which it then overrides, or under a free name that a
// node's attr "_gradient_op_type" refers to (Graph.gradient_override_map). Safe to use from several
// threads.
class RAMET_EXPORT GradientRegistry {
 public:
  static GradientRegistry& Global();
  // \error kAlreadyExists if `name` was registered here before; kInvalidArgument if `name` or the
  //   function is empty.
  Status Register(std::string_view name, GradientFunction function);
  // Takes a registration back; false if there is none.
  bool Unregister(std::string_view name);

  // The gradient function of an operation: the registered one of its "_gradient_op_type", else of
  // its type, else the op's own. Empty if the op is said to have no gradient. \error kNotFound "No
  // gradient defined for operation 'n' (op type: T)" if nothing was said.
  StatusOr<GradientFunction> Find(const Operation& op) const;

 private:
  struct Impl;
  GradientRegistry();
  Impl* impl_;
};

}  // namespace ramet
