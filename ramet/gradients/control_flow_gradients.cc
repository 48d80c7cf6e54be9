#include "ramet/gradients/control_flow_gradients.h"

#include "ramet/gradients/accumulate.h"
#include "ramet/gradients/between_set.h"
#include "ramet/gradients/flow_of_gradients.h"
#include "ramet/gradients/loop_state.h"
#include "ramet/gradients/shape_ops.h"
#include "ramet/graph/cond_context.h"
#include "ramet/graph/control_flow_util.h"
#include "ramet/graph/while_context.h"

namespace ramet {
namespace {

Status None(GradientContext& c) {
  return c.Return(std::vector<Gradient>(static_cast<size_t>(c.num_inputs())));
}

// Returns the gradient of output i as received, or zeros if it is missing and zeros exist.
Gradient GradientOrZeros(GradientContext& c, int i) {
  const Output output = c.output(i);
  const bool resource = BaseType(output.dtype()) == DType::kResource;
  if (c.raw_grad(i).exists()) return c.raw_grad(i);
  if (!IsTrainableType(output.dtype())) return Gradient();
  return resource && HandleType(output) == DType::kInvalid ? Gradient() : Gradient(c.grad(i));
}

Status LoopSwitchGradient(GradientContext& c) {
  LoopState* const state = CurrentLoopState(c.graph());
  if (state == nullptr) return None(c);
  // The second visit, for the value that continues. The first one (below) is for the value that
  // leaves.
  if (const Gradient* begun = state->VariableOf(c.op())) {
    if (c.raw_grad(1).exists()) {
      RAMET_RETURN_IF_ERROR(CloseLoop(state->gradient_context(), *begun, c.raw_grad(1)));
    }
    return None(c);
  }
  const Gradient& leaving = c.raw_grad(0);
  if (!leaving.exists()) return None(c);
  RAMET_ASSIGN_OR_RETURN(Gradient merge, MergeGradients(c.graph(), {leaving, leaving}, "b_switch"));
  state->AddVariable(c.op(), merge);
  return c.Return({merge, Gradient()});
}

Status CondSwitchGradient(GradientContext& c, const CondContext& cond) {
  const Gradient here = GradientOrZeros(c, cond.branch());
  const Gradient across = GradientOrZeros(c, 1 - cond.branch());
  Gradient merge;
  if (across.exists() && here.exists()) {
    const bool swapped = cond.branch() == 1;
    RAMET_ASSIGN_OR_RETURN(
        merge,
        MergeGradients(c.graph(), swapped ? std::vector{across, here} : std::vector{here, across},
                       "cond_grad"));
  } else if (here.exists() && BaseType(c.input(0).dtype()) == DType::kResource) {
    RAMET_ASSIGN_OR_RETURN(merge, MergeGradients(c.graph(), {here, here}, "cond_resource_grad"));
  }
  return c.Return({merge, Gradient()});
}

// A Switch outside of any context, or one whose context the import did not have.
Status FreeSwitchGradient(GradientContext& c) {
  const Gradient on_false = GradientOrZeros(c, 0), on_true = GradientOrZeros(c, 1);
  if (!on_false.exists() || !on_true.exists()) return None(c);
  std::vector<Gradient> sides(2);
  for (int side = 0; side < 2; ++side) {
    RAMET_ASSIGN_OR_RETURN(
        Operation added,
        TryAddOp(c.graph(), "Switch", {(side ? on_true : on_false).values, c.input(1)}));
    sides[static_cast<size_t>(side)] = added.output(side);
  }
  RAMET_ASSIGN_OR_RETURN(Gradient merge, MergeGradients(c.graph(), sides, "Merge"));
  return c.Return({merge, Gradient()});
}

Status FreeMergeGradient(GradientContext& c) {
  std::vector<Output> taken;
  for (int i = 0; i < c.num_inputs(); ++i) {
    taken.push_back(c.Add("Equal", {c.output(1), Tensor(static_cast<int32_t>(i))}));
  }
  RAMET_RETURN_IF_ERROR(c.graph().status());
  std::vector<Gradient> grads;
  for (const Output& pred : taken) {
    RAMET_ASSIGN_OR_RETURN(auto sides, SwitchGradients(c.raw_grad(), pred, "Switch"));
    grads.push_back(sides.second);
  }
  return c.Return(grads);
}

}  // namespace

Status SwitchGradient(GradientContext& c) {
  ControlFlowContext* const context = ContextOf(c.op());
  if (context == nullptr) return FreeSwitchGradient(c);
  if (const auto* cond = dynamic_cast<const CondContext*>(context)) {
    return CondSwitchGradient(c, *cond);
  }
  return LoopSwitchGradient(c);
}

Status MergeGradient(GradientContext& c) {
  if (!c.raw_grad().exists()) return None(c);
  ControlFlowContext* const context = OutputContextOf(c.input(0).op());
  if (context == nullptr) return FreeMergeGradient(c);
  LoopState* const state = CurrentLoopState(c.graph());
  Output pred;
  const char* name = "Switch";
  if (const auto* cond = dynamic_cast<const CondContext*>(context)) {
    name = "cond_grad";
    pred = cond->pred();
    if (state != nullptr) {
      RAMET_ASSIGN_OR_RETURN(pred, state->PastPredicate(pred));
    }
  } else {
    if (state == nullptr) return None(c);
    pred = state->gradient_context().pivot();
  }
  RAMET_ASSIGN_OR_RETURN(auto sides, SwitchGradients(c.raw_grad(), pred, name));
  return c.Return({sides.first, sides.second});
}

Status EnterGradient(GradientContext& c) {
  const Gradient& gradient = c.raw_grad();
  LoopState* const state = CurrentLoopState(c.graph());
  if (state == nullptr || !state->gradient_context().options().back_prop) {
    return c.Return({gradient});
  }
  if (IsLoopConstantEnter(c.op())) {
    RAMET_ASSIGN_OR_RETURN(Gradient sum, AccumulateOverLoop(*state, c.op(), gradient));
    return c.Return({sum});
  }
  RAMET_ASSIGN_OR_RETURN(Gradient exit, ForEachPart(c.graph(), gradient, "Exit", "Exit"));
  WhileContext& loop = state->gradient_context();
  for (const Output& part : {exit.values, exit.indices, exit.dense_shape}) {
    if (!part.valid()) continue;
    loop.loop_exits().push_back(part);
    loop.ExitResult({part});
  }
  return c.Return({exit});
}

Status ExitGradient(GradientContext& c) {
  LoopState* const state = CurrentLoopState(c.graph());
  if (state == nullptr || !state->gradient_context().options().back_prop) return None(c);
  if (state->forward_context()->gradient() != nullptr) {
    return Unimplemented("Second-order gradient for while loops not supported.");
  }
  RAMET_ASSIGN_OR_RETURN(Gradient entered,
                         EnterLoop(state->gradient_context(), c.raw_grad(), "b_exit"));
  return c.Return({entered});
}

Status NextIterationGradient(GradientContext& c) { return c.Return({c.raw_grad()}); }

}  // namespace ramet
