#pragma once

#include <utility>
#include <vector>

#include "ramet/op/op.h"

namespace ramet {

// How each input tensor of RaggedTensorToTensor divides values into rows.
enum class PartitionType { kFirstDimSize, kValueRowIds, kRowSplits };

// The attr row_partition_types.
class PartitionTypes {
 public:
  // \error kInvalidArgument: the attr is empty, has an unknown name, or a name where it may not be.
  static StatusOr<PartitionTypes> Of(const AttrMap& attrs);

  // \error kInvalidArgument: `tensors` is not the number of types.
  Status CheckCount(int tensors) const;
  // Checks the rank of tensor i, which may be unknown (-1).
  // \error kInvalidArgument: it is not that of a scalar or vector, as the type demands.
  Status CheckRank(int i, int rank) const;
  PartitionType operator[](int i) const { return types_[i]; }
  int ragged_rank() const {
    return static_cast<int>(types_.size()) - (types_[0] == PartitionType::kFirstDimSize ? 1 : 0);
  }

 private:
  std::vector<PartitionType> types_;
};

// A RowPartition divides consecutive values into rows. It is a view of an integer vector: the
// splits between the rows, or the row of each value.
class RowPartition {
 public:
  RowPartition(const Tensor& tensor, PartitionType type) : tensor_(&tensor), type_(type) {}

  bool has_splits() const { return type_ == PartitionType::kRowSplits; }
  // Returns the number of rows of splits, or -1 if only the values are known.
  int64_t num_rows() const { return has_splits() ? tensor_->num_elements() - 1 : -1; }
  int64_t num_values() const;
  // Returns the length of the longest row.
  int64_t MaxWidth() const;
  // Returns the first value of a row and the one after its last.
  std::pair<int64_t, int64_t> Row(int64_t row) const;
  // Checks that the partition has at most `rows` rows and is in order.
  // \error kInvalidArgument: it is not.
  Status Check(int64_t rows) const;

 private:
  // Returns the first value whose row is `row` or later.
  int64_t FirstOf(int64_t row) const;

  const Tensor* tensor_;
  PartitionType type_;
};

// All partitions of a ragged tensor, the outermost first.
struct RowPartitions {
  int64_t first_dim = 0;
  std::vector<RowPartition> levels;

  // Checks that each level has the rows that the level above divides, and that there are enough
  // values.
  // \error kInvalidArgument: it is not so.
  Status Check(int64_t values) const;
  // Checks that no level has splits of more rows than the level above divides.
  // \error kInvalidArgument: "Row partition size is greater than output size: 3 > 2".
  Status CheckNoSpareRows() const;
};

// Reads the partitions from the inputs of a kernel that start at `first`.
// \error kInvalidArgument: their number or ranks do not fit the types, or splits are empty.
StatusOr<RowPartitions> ReadPartitions(const KernelContext& c, const PartitionTypes& types,
                                       int first);

}  // namespace ramet
