#pragma once

#include <map>
#include <string>

#include "ramet/proto/meta_graph.pb.h"
#include "ramet/tensor/tensor.h"

namespace ramet::fuzz {

// A BaseModel is a small trained model as the library writes it, which drawn files are changes of.
struct BaseModel {
  // Variables of both kinds, a loop and a branch, a Saver, a signature, an asset.
  MetaGraphDef meta;
  // One graph that shards its saver.
  MetaGraphDef sharded;
  // By the names in the checkpoint.
  std::map<std::string, Tensor> values;
};

// Made at the first call.
const BaseModel& TheBaseModel();

}  // namespace ramet::fuzz
