#include "ramet/ops/state/handle.h"

#include "ramet/ops/array/move.h"

namespace ramet {
namespace {

Status NotAHandle(int i) {
  return InvalidArgument("input ", i, " must be the handle of a variable, but it is not a handle");
}

}  // namespace

Status MissingResource(const VariableState& variable) {
  return NotFound("Resource localhost/", variable.name(),
                  "/N10tensorflow3VarE does not exist. The variable '", variable.name(),
                  "' has no value: restore a checkpoint or run its initializer");
}

Status CheckVariableType(std::string_view doing, DType expected, DType found) {
  if (expected == found) return OkStatus();
  return InvalidArgument("Trying to ", doing, " variable with wrong dtype. Expected ",
                         DTypeName(expected), " got ", DTypeName(found));
}

StatusOr<Tensor> ReadHandle(KernelContext& c, int i, DType dtype) {
  VariableState* variable = c.variable(i);
  if (variable == nullptr) return NotAHandle(i);
  const Tensor value = c.Read(*variable);
  if (value.empty()) return MissingResource(*variable);
  RAMET_RETURN_IF_ERROR(CheckVariableType("read", dtype, value.dtype()));
  return c.env().memory ? c.env().memory->View(value) : value;
}

Status TakeTarget(KernelContext& c) {
  if (c.num_outputs() > 0) return c.ForwardRef(0, 0);
  if (c.variable(0) == nullptr) return NotAHandle(0);
  return !c.Read(*c.variable(0)).empty() ? OkStatus() : MissingResource(*c.variable(0));
}

Status CopyUnlessInPlace(const Tensor& old, Tensor& out) {
  return out.raw_data() != old.raw_data() ? CopyAll(old, out) : OkStatus();
}

Shape TargetShape(ShapeContext& c, int i) {
  return c.num_outputs() > 0 ? c.input(i) : c.handle(i).second;
}

void SetTargetOutput(ShapeContext& c, Shape shape) {
  if (c.num_outputs() > 0) c.set_output(0, std::move(shape));
}

}  // namespace ramet
