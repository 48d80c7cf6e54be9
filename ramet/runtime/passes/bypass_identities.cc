#include "ramet/runtime/passes/bypass_identities.h"

namespace ramet {
namespace {

// Reports whether a step returns its input.
bool IsIdentity(const PlanEditor& editor, const Step& step) {
  if (!step.Is<KernelStep>() || step.inputs.size != 1 || step.outputs.size != 1) return false;
  const std::string_view op = editor.OpOf(step);
  return op == "Identity" || op == "StopGradient" || op == "PreventGradient";
}

// Reports whether the readers of a step find the value of its input in the same memory.
bool IsInOnePlace(const PlanEditor& editor, const Step& step) {
  const int32_t input = editor.InputSlot(step, 0), output = step.outputs.first;
  const int32_t writer = editor.WriterOf(input);
  if (writer < 0 || editor.step(writer).device != step.device) return false;
  const std::vector<bool>& in_host_memory = editor.data().slots.in_host_memory;
  return in_host_memory[input] == in_host_memory[output] && editor.HoldsTensor(input) &&
         editor.HoldsTensor(output);
}

}  // namespace

int64_t BypassIdentities(PlanEditor* editor) {
  int64_t bypassed = 0;
  for (int32_t i = 0; i < editor->num_steps(); ++i) {
    const Step& step = editor->step(i);
    if (!IsIdentity(*editor, step) || !IsInOnePlace(*editor, step)) continue;
    editor->Replace(step.outputs.first, editor->InputSlot(step, 0));
    ++bypassed;
  }
  return bypassed;
}

}  // namespace ramet
