#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/op/attr.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

class Graph;
class Op;
class Output;
using NodeId = int32_t;

// An Operation is a handle to one node of a Graph. It is cheap to copy and valid as long as the
// graph. A default-constructed handle, or one returned by a failed build, is invalid and has no
// name.
class RAMET_EXPORT Operation {
 public:
  Operation() = default;
  Operation(const Graph* graph, NodeId id) : graph_(const_cast<Graph*>(graph)), id_(id) {}

  bool valid() const { return graph_ != nullptr; }
  Graph* graph() const { return graph_; }
  NodeId id() const { return id_; }
  std::string name() const;
  std::string type() const;  // "MatMul"
  const Op& op() const;
  std::string device() const;  // as requested; "" if unconstrained
  int num_inputs() const;
  int num_outputs() const;
  Output input(int i) const;
  Output output(int i) const;
  std::vector<Output> inputs() const;
  std::vector<Output> outputs() const;
  std::vector<Operation> control_inputs() const;
  std::shared_ptr<const AttrMap> attrs() const;
  // \error kInvalidArgument: there is no such attr, or it has a different type.
  template <class T>
  StatusOr<T> attr(std::string_view name) const {
    return attrs()->Get<T>(name);
  }
  // Returns "out (Softmax)", or "no operation" for an invalid handle.
  std::string ToString() const;
  bool operator==(const Operation&) const = default;

 private:
  Graph* graph_ = nullptr;
  NodeId id_ = -1;
};

// An Output is a handle to one output tensor of an Operation (tf.Tensor): "op:0".
class RAMET_EXPORT Output {
 public:
  Output() = default;
  Output(Operation op, int index) : op_(op), index_(index) {}

  bool valid() const { return op_.valid(); }
  Graph* graph() const { return op_.graph(); }
  Operation op() const { return op_; }
  int index() const { return index_; }
  std::string name() const;  // "op:0"
  DType dtype() const;       // a reference type for ref outputs
  Shape shape() const;       // as far as known at build time
  // Returns "out:0 float[?,10]", or "no tensor" for an invalid handle.
  std::string ToString() const;
  bool operator==(const Output&) const = default;

 private:
  Operation op_;
  int index_ = 0;
};

struct OutputHash {
  size_t operator()(const Output& o) const {
    return std::hash<int64_t>()((static_cast<int64_t>(o.op().id()) << 16) ^ o.index());
  }
};

}  // namespace ramet
