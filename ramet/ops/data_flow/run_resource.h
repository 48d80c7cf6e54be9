#pragma once

#include <memory>

#include "ramet/op/kernel.h"
#include "ramet/op/resource_handle.h"

namespace ramet {

// Stacks and tensor arrays live in a run. The newer ops hand them on by a handle that carries them;
// the older ones by their name, a vector [container, name] of strings, as a reference or a value.

// Puts a resource out as output 0, in the form that the op's definition gives it.
Status OutputResource(KernelContext& c, DType form, std::string_view container,
                      const std::string& name, std::shared_ptr<Resource> resource);

// The resource that input 0 names. \error kInvalidArgument if it is no handle; kNotFound if the run
// has no resource of that name.
StatusOr<std::shared_ptr<Resource>> InputResource(KernelContext& c);

// As InputResource. \error kInvalidArgument also if it is no T.
template <class T>
StatusOr<std::shared_ptr<T>> InputResourceAs(KernelContext& c, std::string_view what) {
  RAMET_ASSIGN_OR_RETURN(std::shared_ptr<Resource> resource, InputResource(c));
  if (auto found = std::dynamic_pointer_cast<T>(resource)) return found;
  return InvalidArgument("input 0 must be the handle of a ", what, ", but names a ",
                         resource->type_name());
}

}  // namespace ramet
