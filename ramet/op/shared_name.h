#pragma once

#include <string>

#include "ramet/op/kernel.h"

namespace ramet {

// The container and name under which the nodes of a session share a resource.
struct SharedName {
  std::string container, name;
};

// Returns the names that the attrs `container` and `shared_name` give. Without shared_name, the
// node has a resource of its own, "_N_NODE", or shares one by its name if `by_node_name` is true.
SharedName SharedNameOf(const KernelNode& node, bool by_node_name = false);

}  // namespace ramet
