#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ramet/graph/function_library.h"
#include "ramet/op/op.h"
#include "ramet/wire/attr_proto.h"

namespace ramet {

// The outputs of the nodes of one function, which the definitions of their ops determine: those of
// registered ops and of functions of the library.
class FunctionNodeOutputs {
 public:
  explicit FunctionNodeOutputs(const FunctionLibrary& library) : library_(library) {}

  // An output of an op's definition, and how many of the node's tensors belong to it.
  struct Arg {
    std::string name;
    int count;
  };
  // Returns the outputs of a node whose attrs have no placeholders.
  // \error kNotFound: the op is unknown.
  // \error kInvalidArgument: an attr is malformed or missing.
  StatusOr<std::vector<Arg>> Of(const NodeDef& node);

 private:
  StatusOr<const OpSchema*> SchemaOf(const std::string& op);
  StatusOr<AttrMap> OutputAttrs(const OpSchema& schema, const NodeDef& node);

  const FunctionLibrary& library_;
  std::unordered_map<std::string, OpSchema> schemas_;
  AttrBudget budget_;
};

}  // namespace ramet
