#include "ramet/runtime/fuse_epilogues.h"

#include <string_view>

namespace ramet {
namespace {

// Returns which input of a step is added to the value in slot `sum`, or -1 if the step is not an
// addition of floats that an epilogue can do.
int AddendOf(const FusionBuilder& builder, const Step& step, int32_t sum) {
  const AttrMap& attrs = builder.AttrsOf(step);
  if (attrs.GetOr<DType>("T", DType::kInvalid) != kFloat || step.inputs.size != 2) return -1;
  const std::string_view op = builder.OpOf(step);
  if (op == "BiasAdd") {
    const bool last = attrs.GetOr<std::string>("data_format", "NHWC") == "NHWC";
    return last && builder.InputSlot(step, 0) == sum ? 1 : -1;
  }
  if (op != "Add" && op != "AddV2") return -1;
  return builder.InputSlot(step, 0) == sum ? 1 : 0;
}

void TryEpilogue(int32_t first, FusionBuilder* builder) {
  if (!builder->CanFuse(first)) return;
  const Step& step = builder->step(first);
  auto* const kernel = dynamic_cast<EpilogueKernel*>(std::get<KernelStep>(step.work).kernel);
  if (kernel == nullptr) return;
  const int32_t add = builder->flow().OnlyReaderOf(first);
  if (!builder->CanFuse(add)) return;
  const int addend = AddendOf(*builder, builder->step(add), step.outputs.first);
  if (addend < 0) return;
  const auto can_apply = [&](Epilogue epilogue) {
    return kernel->CanApply(epilogue, builder->EnvOf(step), builder->OutputShape(step),
                            builder->InputShape(builder->step(add), addend));
  };
  if (!can_apply(Epilogue::kAdd)) return;
  Fusion fusion;
  fusion.kernel = kernel;
  std::vector<int32_t> parts = {first, add};
  const int32_t after = builder->flow().OnlyReaderOf(add);
  if (builder->CanFuse(after) && builder->OpOf(builder->step(after)) == "Relu" &&
      can_apply(Epilogue::kAddRelu)) {
    fusion.epilogue = Epilogue::kAddRelu;
    parts.push_back(after);
  }
  std::vector<StepInput> inputs;
  for (const StepInput& input : builder->inputs_of(step)) inputs.push_back({.slot = input.slot});
  inputs.push_back({.slot = builder->InputSlot(builder->step(add), addend)});
  builder->Fuse(std::move(fusion), parts, inputs);
}

}  // namespace

void FuseEpilogues(FusionBuilder* builder) {
  for (int32_t i = 0; i < builder->num_steps(); ++i) TryEpilogue(i, builder);
}

void FuseEpiloguesOnDevices(FusionBuilder* builder) {
  for (int32_t i = 0; i < builder->num_steps(); ++i) {
    if (builder->EnvOf(builder->step(i)).memory != nullptr) TryEpilogue(i, builder);
  }
}

}  // namespace ramet
