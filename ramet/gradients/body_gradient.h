#pragma once

#include <memory>
#include <unordered_set>
#include <vector>

#include "ramet/gradients/gradient_context.h"
#include "ramet/graph/function.h"

namespace ramet {

// A BodyGradient is the body of a function with the operations of its gradients added. These become
// a function of their own; what they read of the body (captures) has to be kept by the forward
// function.
class BodyGradient {
 public:
  static StatusOr<std::unique_ptr<BodyGradient>> New(const Graph& graph, const FunctionRef& ref);

  const FunctionBody& body() const { return *body_; }
  Graph& graph() const { return *body_->graph; }
  // Hands the body over; nothing else may be called then.
  std::unique_ptr<FunctionBody> TakeBody() { return std::move(body_); }

  // Adds the gradients of the args, given gradients of those returns that `arrives` marks, of
  // dtypes that have some. At most once. \error as Gradients(); kResourceExhausted if the function
  //   is being differentiated already, or too many functions that call each other are.
  Status Differentiate(const std::vector<bool>& arrives);
  // A Placeholder for the gradient of each return that was marked; others are invalid.
  const std::vector<Output>& grad_ys() const { return grad_ys_; }
  // The gradients of the args, dense; invalid where there is none.
  const std::vector<Output>& arg_grads() const { return arg_grads_; }
  void set_arg_grad(size_t i, const Output& gradient) { arg_grads_[i] = gradient; }
  // Zeros for an arg, of `dtype` for a resource.
  Output ZerosFor(size_t arg, DType dtype);
  Output AddPlaceholder(DType dtype, std::string_view name);

  // The tensors of the forward part that `grads`, which may change, read: constants are copied,
  // the others listed once each.
  Status Capture(std::vector<Output>* grads);
  const std::vector<Output>& captures() const { return captures_; }
  // What reads a capture for the gradients reads `value` from now on.
  Status Replace(const Output& capture, const Output& value, const std::vector<Output>& grads);
  // The position of `output` among the args, among the returns; -1 if it is none.
  int ArgOf(const Output& output) const;
  int ReturnOf(const Output& output) const;

  // Whether an operation was added for the gradients.
  bool IsGradient(NodeId id) const { return !forward_.contains(id); }
  // Whether one that `grads` need is stateful.
  bool IsStateful(const std::vector<Output>& grads) const;

 private:
  explicit BodyGradient(std::unique_ptr<FunctionBody> body) : body_(std::move(body)) {}
  void FindForward();

  std::unique_ptr<FunctionBody> body_;
  int num_forward_ = 0;
  std::unordered_set<NodeId> forward_;
  std::vector<Output> grad_ys_, arg_grads_, captures_;
};

// Whether a call of the function is to be differentiated when it runs, by the op SymbolicGradient:
// it calls itself, or stands deep in others that are being differentiated.
bool GradientMustWait(const FunctionRef& function);

// The operations that `outputs` need over data and control edges, those excepted for which `stop`
// is true.
std::vector<NodeId> AncestorsOf(const Graph& graph, const std::vector<Output>& outputs,
                                const std::function<bool(NodeId)>& stop);

}  // namespace ramet
