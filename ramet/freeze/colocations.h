#pragma once

#include <string>
#include <string_view>

#include "ramet/op/colocation.h"
#include "ramet/proto/graph.pb.h"

namespace ramet::freeze {

// Calls visit(name) for the nodes that `node` is colocated with ("loc:@name" in _class).
template <class Visit>
void ForEachColocated(const NodeDef& node, Visit visit) {
  auto classes = node.attr().find("_class");
  if (classes == node.attr().end()) return;
  for (const std::string& group : classes->second.list().s()) {
    std::string_view name = group;
    if (name.starts_with(kColocationPrefix)) name.remove_prefix(kColocationPrefix.size());
    visit(name);
  }
}

}  // namespace ramet::freeze
