#pragma once

#include "ramet/graph_def/import_nodes.h"

namespace ramet {

// Sets the devices of all nodes: a node's own (ignored if `clear_devices` is true) under the open
// device scopes, or the device of the nodes that it is colocated with.
// \error kInvalidArgument: a device string is malformed. Names the node.
Status SetImportedDevices(ImportNodes& nodes, bool clear_devices);

}  // namespace ramet
