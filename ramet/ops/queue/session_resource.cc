#include "ramet/ops/queue/session_resource.h"

namespace ramet {
namespace {

StatusOr<std::shared_ptr<Resource>> ResourceByName(KernelContext& c, std::string_view kind,
                                                   const Tensor& handle) {
  if (handle.dtype() != kString || handle.num_elements() != 2) {
    return InvalidArgument("Resource handle must have 2 elements, but had shape: ", handle.shape());
  }
  const auto parts = handle.flat<std::string>();
  if (auto found = c.env().resources->Find(KindContainer(kind, parts[0]), parts[1])) return found;
  return NotFound("Resource ", parts[0], "/", parts[1], " does not exist: no ", kind,
                  " of the session has this name");
}

}  // namespace

std::string KindContainer(std::string_view kind, std::string_view container) {
  return StrCat(kind, "/", container);
}

StatusOr<std::shared_ptr<Resource>> SessionResource(KernelContext& c, int i,
                                                    std::string_view kind) {
  if (const VariableState* variable = c.variable(i)) {
    const Tensor handle = variable->Read();
    if (handle.dtype() == kString) return ResourceByName(c, kind, handle);
    return InvalidArgument("input ", i, " must be the handle of a ", kind,
                           ", but names the variable '", variable->name(), "'");
  }
  if (c.input(i).dtype() == kString) return ResourceByName(c, kind, c.input(i));
  if (auto resource = CarriedResource(c.input(i))) return resource;
  return InvalidArgument("input ", i, " must be the handle of a ", kind,
                         ", but it is not a handle");
}

}  // namespace ramet
