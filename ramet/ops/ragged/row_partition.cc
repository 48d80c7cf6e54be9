#include "ramet/ops/ragged/row_partition.h"

#include <algorithm>

#include "ramet/ops/array/args.h"

namespace ramet {
namespace {

StatusOr<PartitionType> ParsePartitionType(std::string_view name) {
  if (name == "FIRST_DIM_SIZE") return PartitionType::kFirstDimSize;
  if (name == "VALUE_ROWIDS") return PartitionType::kValueRowIds;
  if (name == "ROW_SPLITS") return PartitionType::kRowSplits;
  return InvalidArgument("Unknown string for partition info type: ", name);
}

// Checks that types are where they may be.
Status CheckOrder(std::span<const PartitionType> types) {
  if (types.empty()) return InvalidArgument("Partition info types should not be empty");
  if (types[0] == PartitionType::kValueRowIds) {
    return InvalidArgument("VALUE_ROWIDS cannot be first");
  }
  if (std::ranges::find(types.subspan(1), PartitionType::kFirstDimSize) != types.end()) {
    return InvalidArgument("FIRST_DIM_SIZE must be first");
  }
  if (types[0] == PartitionType::kFirstDimSize &&
      (types.size() == 1 || types[1] != PartitionType::kValueRowIds)) {
    return InvalidArgument("FIRST_DIM_SIZE must be followed by VALUE_ROWIDS");
  }
  return OkStatus();
}

}  // namespace

StatusOr<PartitionTypes> PartitionTypes::Of(const AttrMap& attrs) {
  RAMET_ASSIGN_OR_RETURN(const auto names,
                         attrs.Get<std::vector<std::string>>("row_partition_types"));
  PartitionTypes types;
  for (const std::string& name : names) {
    RAMET_ASSIGN_OR_RETURN(const PartitionType type, ParsePartitionType(name));
    types.types_.push_back(type);
  }
  RAMET_RETURN_IF_ERROR(CheckOrder(types.types_));
  return types;
}

Status PartitionTypes::CheckCount(int tensors) const {
  if (tensors == std::ssize(types_)) return OkStatus();
  return InvalidArgument("Number of row partition tensors (", tensors,
                         ") does not equal the number of row partition types(", types_.size(),
                         ").");
}

Status PartitionTypes::CheckRank(int i, int rank) const {
  if (rank < 0) return OkStatus();
  if (types_[i] == PartitionType::kFirstDimSize) {
    return rank == 0 ? OkStatus() : InvalidArgument("FIRST_DIM_SIZE must be a scalar.");
  }
  return rank == 1 ? OkStatus() : InvalidArgument("Row partition must be a vector.");
}

int64_t RowPartition::num_values() const {
  const int64_t size = tensor_->num_elements();
  return has_splits() ? IntegerAt(*tensor_, size - 1) : size;
}

int64_t RowPartition::FirstOf(int64_t row) const {
  int64_t low = 0, high = tensor_->num_elements();
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const bool before = IntegerAt(*tensor_, middle) < row;
    (before ? low : high) = before ? middle + 1 : middle;
  }
  return low;
}

std::pair<int64_t, int64_t> RowPartition::Row(int64_t row) const {
  if (has_splits()) return {IntegerAt(*tensor_, row), IntegerAt(*tensor_, row + 1)};
  return {FirstOf(row), FirstOf(row + 1)};
}

int64_t RowPartition::MaxWidth() const {
  int64_t widest = 0, begin = 0;
  const int64_t size = tensor_->num_elements();
  for (int64_t i = 1; has_splits() && i < size; ++i) {
    widest = std::max(widest, IntegerAt(*tensor_, i) - IntegerAt(*tensor_, i - 1));
  }
  for (int64_t i = 0; !has_splits() && i < size; ++i) {
    if (IntegerAt(*tensor_, i) != IntegerAt(*tensor_, begin)) begin = i;
    widest = std::max(widest, i + 1 - begin);
  }
  return widest;
}

Status RowPartition::Check(int64_t rows) const {
  const int64_t size = tensor_->num_elements();
  if (has_splits()) {
    if (rows > num_rows() || IntegerAt(*tensor_, 0) != 0) {
      return InvalidArgument("Invalid row split size.");
    }
    for (int64_t i = 1; i < size; ++i) {
      if (IntegerAt(*tensor_, i) < IntegerAt(*tensor_, i - 1)) {
        return InvalidArgument("Invalid row split size.");
      }
    }
    return OkStatus();
  }
  int64_t last = 0;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t row = IntegerAt(*tensor_, i);
    if (row >= rows) {
      return InvalidArgument("Got next_value_rowid=", row, " which is not less than ", rows);
    }
    if (row < last) {
      return InvalidArgument("value_rowids must ascend from 0, but ", row, " follows ", last);
    }
    last = row;
  }
  return OkStatus();
}

Status RowPartitions::Check(int64_t values) const {
  int64_t rows = first_dim;
  if (rows < 0) return InvalidArgument("Dimension ", rows, " must be >= 0");
  for (const RowPartition& level : levels) {
    RAMET_RETURN_IF_ERROR(level.Check(rows));
    rows = level.num_values();
  }
  return rows <= values ? OkStatus() : InvalidArgument("Invalid row split size.");
}

Status RowPartitions::CheckNoSpareRows() const {
  int64_t rows = first_dim;
  for (const RowPartition& level : levels) {
    if (level.num_rows() > rows) {
      return InvalidArgument("Row partition size is greater than output size: ", level.num_rows(),
                             " > ", rows);
    }
    rows = level.num_values();
  }
  return OkStatus();
}

StatusOr<RowPartitions> ReadPartitions(const KernelContext& c, const PartitionTypes& types,
                                       int first) {
  RowPartitions partitions;
  RAMET_RETURN_IF_ERROR(types.CheckCount(c.num_inputs() - first));
  for (int i = 0; i + first < c.num_inputs(); ++i) {
    const Tensor& tensor = c.input(i + first);
    RAMET_RETURN_IF_ERROR(types.CheckRank(i, tensor.rank()));
    if (types[i] == PartitionType::kFirstDimSize) {
      partitions.first_dim = IntegerAt(tensor, 0);
      continue;
    }
    partitions.levels.emplace_back(tensor, types[i]);
    if (types[i] == PartitionType::kRowSplits && tensor.num_elements() == 0) {
      return InvalidArgument(
          "Invalid first partition input. Tensor requires at least one element.");
    }
    if (i == 0) partitions.first_dim = partitions.levels[0].num_rows();
  }
  return partitions;
}

}  // namespace ramet
