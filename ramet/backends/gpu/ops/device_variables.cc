#include "ramet/backends/gpu/ops/device_variables.h"

#include "ramet/backends/gpu/launch.h"

namespace ramet::gpu {

Status MoveVariableToDevice(KernelContext& c, int i) {
  VariableState* const variable = c.variable(i);
  if (variable == nullptr) return OkStatus();
  const Tensor value = c.Read(*variable);
  if (value.empty() || value.memory() == c.env().memory) return OkStatus();
  if (!value.host_accessible()) {
    return Internal("the value of variable '", variable->name(),
                    "' is in the memory of a different device");
  }
  RAMET_ASSIGN_OR_RETURN(Tensor copy, DeviceOf(c).CopyFromHost(value));
  variable->Set(std::move(copy), c.run().followed);
  return OkStatus();
}

Status CheckHandle(KernelContext& c, int i, std::string_view name) {
  const VariableState* const variable = c.variable(i);
  if (variable == nullptr) {
    return InvalidArgument(name, " must be the handle of a variable, but it is not a handle");
  }
  if (!c.Read(*variable).empty()) return OkStatus();
  return NotFound("Resource localhost/", variable->name(),
                  "/N10tensorflow3VarE does not exist. The variable '", variable->name(),
                  "' has no value: restore a checkpoint or run its initializer");
}

}  // namespace ramet::gpu
