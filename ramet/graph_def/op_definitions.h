#pragma once

#include <string>
#include <unordered_set>

#include "ramet/graph/graph_impl.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/proto/op_def.pb.h"

namespace ramet {

// Returns the graph's definition of an op, or nullptr if the op is known only from use.
const OpSchema* FindSchema(const GraphImpl& impl, const std::string& op);

// Returns the definitions of `ops` and of the primitive ops in the functions of `library`, sorted
// by name. They come from `carried` if possible, otherwise from the graph.
// \error kInvalidArgument: a definition has no proto form.
Status StrippedOpList(const GraphImpl& impl, const std::unordered_set<const Op*>& ops,
                      const FunctionDefLibrary& library, const OpList& carried, OpList* list);

}  // namespace ramet
