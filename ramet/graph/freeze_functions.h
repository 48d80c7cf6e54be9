#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/tensor/tensor.h"

namespace ramet::freeze {

// Makes functions of a library take values of variables where they took handles. Others may call
// them with handles, so each call gets copies of its own.
class FunctionFreezer {
 public:
  // Adds to the library, which it borrows.
  explicit FunctionFreezer(FunctionDefLibrary* library);

  // Input `input` of a node that calls functions is a value of `dtype` from now on. Returns the
  // outputs of the node that are the value, too. \error kUnimplemented naming the node, kNotFound
  // if
  //   the library lacks the function, kInvalidArgument if the call does not fit it.
  StatusOr<std::vector<int>> Freeze(NodeDef* node, int input, DType dtype) {
    return FreezeCall(node, input, dtype, 0);
  }

  // Removes what `nodes` do not call any more, if there are copies.
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
