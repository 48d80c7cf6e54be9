#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/gradients/gradient_context.h"
#include "ramet/graph_def/function.h"

namespace ramet {

// A BodyGradient is a function body extended by the operations of its gradients. These become a
// separate function. The forward function must keep the tensors that they read (captures).
class BodyGradient {
 public:
  static StatusOr<std::unique_ptr<BodyGradient>> New(const Graph& graph, const FunctionRef& ref);

  const FunctionBody& body() const { return *body_; }
  Graph& graph() const { return *body_->graph; }
  // Transfers ownership of the body. Call nothing else afterwards.
  std::unique_ptr<FunctionBody> TakeBody() { return std::move(body_); }

  // Adds the gradients of the args, given the gradients of the returns that `arrives` marks, which
  // must have differentiable dtypes. Call at most once. Also returns the errors of Gradients().
  // \error kResourceExhausted: the function is being differentiated already, or too many nested
  //   functions are.
  Status Differentiate(const std::vector<bool>& arrives);
  // One Placeholder per marked return, for its gradient; the others are invalid.
  const std::vector<Output>& grad_ys() const { return grad_ys_; }
  // The dense gradients of the args; invalid where there is none.
  const std::vector<Output>& arg_grads() const { return arg_grads_; }
  void set_arg_grad(size_t i, const Output& gradient) { arg_grads_[i] = gradient; }
  // Returns zeros for an arg. `dtype` applies to resources.
  Output ZerosFor(size_t arg, DType dtype);
  Output AddPlaceholder(DType dtype, std::string_view name);

  // Finds the tensors of the forward part that `grads` read. Constants are copied, which may change
  // `grads`; the other tensors are listed in captures(), once each.
  // \error kResourceExhausted: see CheckGradientWork.
  Status Capture(std::vector<Output>* grads);
  const std::vector<Output>& captures() const { return captures_; }
  // Makes the gradient operations read the `values` instead of the `captures` at the same
  // positions.
  Status Replace(const std::vector<Output>& captures, const std::vector<Output>& values,
                 const std::vector<Output>& grads);
  // The position of `output` among the args or the returns, or -1.
  int ArgOf(const Output& output) const;
  int ReturnOf(const Output& output) const;

  // Reports whether an operation was added for the gradients.
  bool IsGradient(NodeId id) const {
    return static_cast<size_t>(id) >= forward_.size() || !forward_[static_cast<size_t>(id)];
  }
  // Reports whether any operation that `grads` need is stateful.
  bool IsStateful(const std::vector<Output>& grads) const;

 private:
  explicit BodyGradient(std::unique_ptr<FunctionBody> body) : body_(std::move(body)) {}
  void FindForward();
  std::vector<NodeId> NeededBy(const std::vector<Output>& grads) const;
  void CountNodes();

  std::unique_ptr<FunctionBody> body_;
  int num_forward_ = 0, num_counted_ = 0;
  std::vector<bool> forward_;                                   // by node
  std::unordered_map<Output, int, OutputHash> args_, returns_;  // the first position of each tensor
  std::unordered_set<Output, OutputHash> captured_;
  std::vector<Output> grad_ys_, arg_grads_, captures_;
};

// Reports whether a call of the function must be differentiated at run time by the op
// SymbolicGradient, because the function is recursive or deeply nested in functions that are being
// differentiated.
bool GradientMustWait(const FunctionRef& function);

}  // namespace ramet
