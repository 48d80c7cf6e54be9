#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ramet/base/largest_users.h"
#include "ramet/base/status.h"

namespace ramet {

// The tensors that the references in a function stand for: "x" is an argument, "x:1" a tensor of a
// list argument, "node:out:0" a tensor of the output `out` of a node. A reference without the last
// number stands for all tensors of a list.
class FunctionReferences {
 public:
  // Defines `name` as the tensors `first`, ..., `first` + `count` - 1 of a node.
  // \error kInvalidArgument: the name is defined already.
  Status Define(std::string name, const std::string& node, int first, int count);
  // Defines a list argument. Its tensors "name:0", ... are defined separately.
  void DefineList(const std::string& name, size_t size) { lists_.emplace(name, size); }

  // Returns the names in a GraphDef of the tensors of a reference: "node" or "node:1".
  // \error kInvalidArgument: the reference is not defined.
  // \error kResourceExhausted: the function has too many inputs.
  StatusOr<std::vector<std::string>> Resolve(const std::string& reference);
  // Returns the node that a control input names, which may be an argument.
  std::string ControlNode(const std::string& name) const;

 private:
  struct Tensors {
    std::string node;
    int first = 0;
    int count = 0;
  };
  StatusOr<std::vector<std::string>> All(const Tensors& tensors);

  std::unordered_map<std::string, Tensors> tensors_;
  std::unordered_map<std::string, size_t> lists_;
  size_t num_inputs_ = 0;
  LargestUsers users_;  // the nodes and arguments that the inputs read
};

}  // namespace ramet
