#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/tensor/tensor.h"

namespace ramet::freeze {

// A FunctionFreezer rewrites functions of a library to take values of variables instead of handles.
// Each call gets its own copies, since other calls may pass handles.
class FunctionFreezer {
 public:
  // Borrows `library` and adds the copies to it.
  explicit FunctionFreezer(FunctionDefLibrary* library);

  // Turns input `input` of a node that calls functions from a handle into a value of `dtype`.
  // Returns the outputs of the node that become values, too.
  // \error kUnimplemented: the handle cannot be traced through the call. Names the node.
  // \error kNotFound: the library lacks the function.
  // \error kInvalidArgument: the call does not match the function.
  StatusOr<std::vector<int>> Freeze(NodeDef* node, int input, DType dtype) {
    return FreezeCall(node, input, dtype, 0);
  }

  // Removes functions that `nodes` do not call, directly or indirectly, if copies were made.
  void DropUnused(const google::protobuf::RepeatedPtrField<NodeDef>& nodes);

 private:
  StatusOr<std::vector<int>> FreezeCall(NodeDef* node, int input, DType dtype, int depth);
  StatusOr<std::vector<int>> FreezeArg(FunctionDef* function, int arg, DType dtype, int depth);
  StatusOr<FunctionDef*> OwnCopy(NameAttrList* called);

  FunctionDefLibrary& library_;
  std::unordered_map<std::string, FunctionDef*> functions_;
  std::unordered_set<std::string> own_;
  std::unordered_map<std::string, int> last_numbers_;
};

}  // namespace ramet::freeze
