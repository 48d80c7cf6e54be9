#pragma once

#include <memory>

#include "ramet/op/resource_store.h"
#include "ramet/tensor/variant.h"

namespace ramet {

// A handle of dtype resource that carries the resource: what it names lives as long as the handle
// is held. Stacks and tensor arrays are handed on this way; variables are named by Value::variable.
Tensor MakeHandle(std::shared_ptr<Resource> resource);

// What a handle carries; nullptr if `handle` is no such handle.
std::shared_ptr<Resource> CarriedResource(const Tensor& handle);

// "NAME_0", "NAME_1", ...: each call gets a number of its own, for the names of resources
// that every execution of a node makes anew.
std::string UniqueResourceName(std::string_view name);

}  // namespace ramet
