#pragma once

#include <memory>

#include "ramet/op/resource_store.h"
#include "ramet/tensor/variant.h"

namespace ramet {

// Returns a handle of dtype resource that owns a reference to the resource, which lives as long as
// the handle. Used for stacks and tensor arrays; variables use Value::variable instead.
Tensor MakeHandle(std::shared_ptr<Resource> resource);

// Returns the resource of a handle made by MakeHandle; nullptr for any other tensor.
std::shared_ptr<Resource> CarriedResource(const Tensor& handle);

// Returns "NAME_0", "NAME_1", ...: a different name for each call. For resources that every
// execution of a node creates.
std::string UniqueResourceName(std::string_view name);

}  // namespace ramet
