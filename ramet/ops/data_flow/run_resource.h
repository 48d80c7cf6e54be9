#pragma once

#include <memory>

#include "ramet/op/kernel.h"
#include "ramet/op/resource_handle.h"

namespace ramet {

// Stacks and tensor arrays live in a run. The newer ops pass them on by a handle that carries them.
// The older ops pass their name, a string vector [container, name], as a reference or a value.

// Sets output 0 to a resource, in the form that the definition of the op requires.
Status OutputResource(KernelContext& c, DType form, std::string_view container,
                      const std::string& name, std::shared_ptr<Resource> resource);

// Returns the resource that input 0 names.
// \error kInvalidArgument: the input is not a handle.
// \error kNotFound: the run has no resource with that name.
StatusOr<std::shared_ptr<Resource>> InputResource(KernelContext& c);

// Like InputResource, for a resource of type T; `what` names the type in the error.
// \error kInvalidArgument: also if the resource is not a T.
template <class T>
StatusOr<std::shared_ptr<T>> InputResourceAs(KernelContext& c, std::string_view what) {
  RAMET_ASSIGN_OR_RETURN(std::shared_ptr<Resource> resource, InputResource(c));
  if (auto found = std::dynamic_pointer_cast<T>(resource)) return found;
  return InvalidArgument("input 0 must be the handle of a ", what, ", but names a ",
                         resource->type_name());
}

}  // namespace ramet
