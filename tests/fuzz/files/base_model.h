#pragma once

#include <map>
#include <string>

#include "ramet/proto/meta_graph.pb.h"
#include "ramet/tensor/tensor.h"

namespace ramet::fuzz {

// A BaseModel is a small trained model as the library writes it. Drawn files are variations of it.
struct BaseModel {
  // Has variables of both kinds, a loop, a branch, a Saver, a signature and an asset.
  MetaGraphDef meta;
  // A graph whose saver writes a sharded checkpoint.
  MetaGraphDef sharded;
  // The values of the variables, by their names in the checkpoint.
  std::map<std::string, Tensor> values;
};

// Returns the model, which the first call makes.
const BaseModel& TheBaseModel();

}  // namespace ramet::fuzz
