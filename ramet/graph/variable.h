#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph/operation.h"

namespace ramet {

using VariableId = int32_t;

// The position of a slice within a partitioned variable (SaveSliceInfoDef).
struct SaveSliceInfo {
  std::string full_name;
  std::vector<int64_t> full_shape;
  std::vector<int64_t> var_offset;
  std::vector<int64_t> var_shape;
};

// A graph's record of one variable (VariableDef). `variable` is the ref output or the handle of a
// resource variable; `snapshot` is the tensor that reads it. The dtype and shape of a resource
// variable are those of its snapshot.
struct VariableRecord {
  Output variable;
  Operation initializer;
  Output snapshot;
  Output initial_value;  // may be invalid if imported from an old file
  bool is_resource = false;
  bool trainable = true;
  int synchronization = 0;
  int aggregation = 0;
  std::optional<SaveSliceInfo> save_slice_info;
};

// A Variable is a handle to a variable of a graph. Used as a tensor, it stands for its value (the
// snapshot).
class RAMET_EXPORT Variable {
 public:
  Variable() = default;
  Variable(Graph* graph, VariableId id) : graph_(graph), id_(id) {}

  bool valid() const { return graph_ != nullptr; }
  Graph* graph() const { return graph_; }
  VariableId id() const { return id_; }
  const VariableRecord& record() const;
  std::string name() const;     // "w:0"
  std::string op_name() const;  // "w"
  DType dtype() const;          // never a reference type
  Shape shape() const;
  // Returns "w:0 float[784,10]", or "no variable" for an invalid handle.
  std::string ToString() const;
  Output ref() const { return record().variable; }
  Output value() const { return record().snapshot; }
  Operation initializer() const { return record().initializer; }
  operator Output() const { return valid() ? value() : Output(); }  // NOLINT: as tf.Variable
  bool operator==(const Variable&) const = default;

 private:
  Graph* graph_ = nullptr;
  VariableId id_ = -1;
};

}  // namespace ramet
