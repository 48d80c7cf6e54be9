#include "ramet/ops/random/generator_variable.h"

#include "ramet/ops/array/args.h"
#include "ramet/ops/random/stateless_seed.h"
#include "ramet/ops/state/handle.h"

namespace ramet {
namespace {

Status CheckAlgorithm(KernelContext& c) {
  if (c.input(1).rank() != 0) {
    return InvalidArgument("input 1 (0-based) must have shape [], not ", c.input(1).shape());
  }
  const int64_t algorithm = IntegerAt(c.input(1), 0);
  if (algorithm == 1) return OkStatus();
  if (algorithm == 2) {
    return Unimplemented("Non-XLA devices don't support the ThreeFry algorithm.");
  }
  return InvalidArgument("Unsupported algorithm id: ", algorithm);
}

Status CheckState(const Tensor& state) {
  if (state.dtype() != kInt64) {
    return InvalidArgument("dtype of RNG state variable must be int64, not ",
                           DTypeName(state.dtype()));
  }
  if (state.rank() != 1) {
    return InvalidArgument("RNG state must have one and only one dimension, not ", state.rank());
  }
  if (state.dim(0) >= kPhiloxStateSize) return OkStatus();
  return InvalidArgument("For the Philox algorithm, the size of state must be at least ",
                         kPhiloxStateSize, "; got ", state.dim(0));
}

}  // namespace

StatusOr<linalg::Philox> TakeGenerator(KernelContext& c, int64_t count) {
  RAMET_RETURN_IF_ERROR(CheckAlgorithm(c));
  RAMET_RETURN_IF_ERROR(ReadHandle(c, 0, kInt64).status());
  linalg::Philox taken;
  RAMET_RETURN_IF_ERROR(c.ModifyRef(0, [&](const Tensor& old, Tensor& out) -> Status {
    RAMET_RETURN_IF_ERROR(CheckState(old));
    RAMET_RETURN_IF_ERROR(CopyUnlessInPlace(old, out));
    int64_t* state = out.mutable_data<int64_t>();
    taken = PhiloxFromState({static_cast<uint64_t>(state[0]), static_cast<uint64_t>(state[1]),
                             static_cast<uint64_t>(state[2])});
    linalg::Philox next = taken;
    next.Skip(linalg::PhiloxReserved(count));
    const auto [low, high, key] = StateOfPhilox(next);
    state[0] = static_cast<int64_t>(low);
    state[1] = static_cast<int64_t>(high);
    state[2] = static_cast<int64_t>(key);
    return OkStatus();
  }));
  return taken;
}

}  // namespace ramet
