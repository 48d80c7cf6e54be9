#include "ramet/ops/array/shape_fn.h"

namespace ramet {

std::optional<int64_t> KnownScalar(ShapeContext& c, int i) {
  const Tensor* t = c.constant(i);
  if (t == nullptr || t->num_elements() != 1 || !IsInteger(t->dtype())) return std::nullopt;
  return IntegerAt(*t, 0);
}

StatusOr<std::optional<Dims>> KnownVector(ShapeContext& c, int i) {
  RAMET_RETURN_IF_ERROR(c.WithRank(i, 1).status());
  const Tensor* t = c.constant(i);
  if (t == nullptr) return std::optional<Dims>();
  RAMET_ASSIGN_OR_RETURN(Dims values, VectorArg(*t, StrCat("input ", i)));
  return std::optional<Dims>(values);
}

Status PairwiseShapes(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(i));
  return OkStatus();
}

}  // namespace ramet
