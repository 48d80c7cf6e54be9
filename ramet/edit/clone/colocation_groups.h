#pragma once

#include <string>

#include "ramet/edit/clone/mapping.h"
#include "ramet/edit/clone/node_name_block.h"
#include "ramet/edit/clone_options.h"

namespace ramet {

// A ColocationGroups renames the leaders in the attr "_class" of copied nodes. The caller holds the
// locks of both graphs.
class ColocationGroups {
 public:
  ColocationGroups(const CloneMapping& mapping, const NodeNameBlock& node_names,
                   const CloneDevice& device);
  // Changes the groups in `attrs`, a copy of `before`. Returns whether anything changed.
  bool Change(const AttrMap& before, AttrMap* attrs);

 private:
  std::string Renamed(const std::string& group) const;

  const CloneMapping& mapping_;
  const NodeNameBlock& node_names_;
  const bool keeps_outside_;
  std::string last_group_, last_renamed_;
};

}  // namespace ramet
