#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>

#include "ramet/base/file.h"
#include "ramet/format/checkpoint_reader.h"
#include "ramet/op/op.h"
#include "ramet/ops/io/args.h"
#include "ramet/ops/string/lines.h"

// GenerateVocabRemapping and LoadAndRemapMatrix, which load embeddings for a changed vocabulary.

namespace ramet {
namespace {

constexpr int64_t kMissing = -1;

StatusOr<std::string> VocabText(const Tensor& path, std::string_view which) {
  RAMET_ASSIGN_OR_RETURN(const std::string name,
                         StringArg(path, std::string(which) + "_vocab_file"));
  if (name.empty()) return InvalidArgument(which, " vocab filename cannot be empty.");
  return ReadFile(name);
}

class VocabRemappingKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    auto kernel = std::make_unique<VocabRemappingKernel>();
    RAMET_ASSIGN_OR_RETURN(kernel->offset_, node.attrs->Get<int64_t>("new_vocab_offset"));
    RAMET_ASSIGN_OR_RETURN(kernel->count_, node.attrs->Get<int64_t>("num_new_vocab"));
    kernel->old_size_ = node.attrs->GetOr<int64_t>("old_vocab_size", -1);
    return std::unique_ptr<Kernel>(std::move(kernel));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const std::string new_text, VocabText(c.input(0), "new"));
    RAMET_ASSIGN_OR_RETURN(const std::string old_text, VocabText(c.input(1), "old"));
    RAMET_ASSIGN_OR_RETURN(const auto lines, OldLines(c, old_text));
    const std::vector<std::string_view> words = LinesOf(new_text);
    if (offset_ + count_ > std::ssize(words)) {
      return InvalidArgument("lookup table size must be larger than last new vocab entry's line");
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * remapping, c.Allocate(0, DType::kInt64, Shape{count_}));
    RAMET_ASSIGN_OR_RETURN(Tensor * present, c.Allocate(1, DType::kInt32, Shape{}));
    int32_t found = 0;
    for (int64_t i = 0; i < count_; ++i) {
      const auto line = lines.find(words[offset_ + i]);
      remapping->mutable_data<int64_t>()[i] = line == lines.end() ? kMissing : line->second;
      if (line != lines.end()) ++found;
    }
    *present->mutable_data<int32_t>() = found;
    return OkStatus();
  }

 private:
  // Returns the line number of each word of the old vocabulary.
  StatusOr<std::unordered_map<std::string_view, int64_t>> OldLines(const KernelContext& c,
                                                                   std::string_view text) const {
    std::vector<std::string_view> words = LinesOf(text);
    if (old_size_ > std::ssize(words)) {
      return InvalidArgument("Invalid vocab_size in ", *c.input(1).data<std::string>(),
                             ": expected ", old_size_, " but got ", words.size());
    }
    if (old_size_ >= 0) words.resize(old_size_);
    std::unordered_map<std::string_view, int64_t> lines;
    for (size_t i = 0; i < words.size(); ++i) lines.emplace(words[i], i);
    return lines;
  }

  int64_t offset_ = 0, count_ = 0, old_size_ = -1;
};

Status VocabRemappingShape(ShapeContext& c) {
  for (int i : {0, 1}) RAMET_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  RAMET_ASSIGN_OR_RETURN(const int64_t count, c.attr<int64_t>("num_new_vocab"));
  c.set_output(0, Shape{count});
  c.set_output(1, Shape{});
  return OkStatus();
}

// The old number of each new row or column, or kMissing.
using Remapping = std::span<const int64_t>;

StatusOr<Remapping> RemappingArg(const Tensor& t, std::string_view name) {
  if (t.rank() == 1) return t.flat<int64_t>();
  return InvalidArgument("The `", name, "` tensor must be 1-D, got a tensor of shape ", t.shape());
}

Status CheckOneToOne(Remapping remapping) {
  std::unordered_map<int64_t, size_t> taken;
  for (size_t i = 0; i < remapping.size(); ++i) {
    if (remapping[i] < 0) continue;
    const auto [first, is_new] = taken.emplace(remapping[i], i);
    if (is_new) continue;
    return Unimplemented("Old ID ", remapping[i], " is mapped to both new ID ", first->second,
                         " and ", i, ", which is not supported.");
  }
  return OkStatus();
}

class RemapMatrixKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    auto kernel = std::make_unique<RemapMatrixKernel>();
    RAMET_ASSIGN_OR_RETURN(kernel->rows_, node.attrs->Get<int64_t>("num_rows"));
    RAMET_ASSIGN_OR_RETURN(kernel->columns_, node.attrs->Get<int64_t>("num_cols"));
    kernel->max_rows_ = node.attrs->GetOr<int64_t>("max_rows_in_memory", -1);
    return std::unique_ptr<Kernel>(std::move(kernel));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const Remapping rows, RemappingArg(c.input(2), "row_remapping"));
    RAMET_ASSIGN_OR_RETURN(const Remapping columns, RemappingArg(c.input(3), "col_remapping"));
    RAMET_RETURN_IF_ERROR(CheckSizes(rows, columns));
    RAMET_ASSIGN_OR_RETURN(const std::string path, StringArg(c.input(0), "ckpt_path"));
    RAMET_ASSIGN_OR_RETURN(const std::string name, StringArg(c.input(1), "old_tensor_name"));
    RAMET_ASSIGN_OR_RETURN(CheckpointReader reader, CheckpointReader::Open(path));
    RAMET_ASSIGN_OR_RETURN(const CheckpointTensor stored, reader.Find(name));
    RAMET_RETURN_IF_ERROR(CheckStored(stored, columns));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kFloat, Shape{rows_, columns_}));
    std::ranges::fill(y->mutable_flat<float>(), 0.0f);
    RAMET_RETURN_IF_ERROR(Load(reader, stored, rows, columns, *y));
    return FillMissing(c.input(4), rows, columns, *y);
  }

 private:
  Status CheckSizes(Remapping rows, Remapping columns) const {
    if (std::ssize(rows) != rows_) {
      return InvalidArgument("Size of row_remapping is ", rows.size(),
                             " instead of being equal to num_rows=", rows_);
    }
    if (!columns.empty() && std::ssize(columns) != columns_) {
      return InvalidArgument("Provided col_remapping, but its size is ", columns.size(),
                             " instead of being equal to num_cols=", columns_);
    }
    RAMET_RETURN_IF_ERROR(CheckOneToOne(rows));
    return CheckOneToOne(columns);
  }

  Status CheckStored(const CheckpointTensor& t, Remapping columns) const {
    if (t.dtype != DType::kFloat) {
      return InvalidArgument("Tensor ", t.name, " has invalid type ", DTypeName(t.dtype),
                             " instead of expected type float");
    }
    if (t.shape.rank() != 2) {
      return InvalidArgument("Tensor ", t.name, " has shape ", t.shape, " of invalid rank ",
                             t.shape.rank(), " instead of expected shape of rank 2.");
    }
    if (!columns.empty() || t.shape.dim(1) == columns_) return OkStatus();
    return InvalidArgument("Tensor ", t.name, " has shape ", t.shape,
                           ", where the size of its 2nd dimension is ", t.shape.dim(1),
                           " instead of being equal to num_cols=", columns_);
  }

  // Copies the elements that are in the checkpoint, at most max_rows_in_memory rows at a time.
  Status Load(CheckpointReader& reader, const CheckpointTensor& stored, Remapping rows,
              Remapping columns, Tensor& y) const {
    std::unordered_map<int64_t, int64_t> new_row;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] >= 0) new_row.emplace(rows[i], i);
    }
    if (new_row.empty()) return OkStatus();
    const int64_t last = *std::ranges::max_element(rows);
    int64_t first = last;
    for (int64_t row : rows) first = row >= 0 ? std::min(first, row) : first;
    const int64_t step = max_rows_ > 0 ? max_rows_ : last - first + 1;
    for (int64_t row = first; row <= last; row += step) {
      const int64_t count = std::min(step, last - row + 1);
      const TensorSlice slice({{row, count}, {}});
      RAMET_RETURN_IF_ERROR(slice.ShapeIn(stored.shape).status());
      RAMET_ASSIGN_OR_RETURN(const Tensor part, reader.ReadSlice(stored.name, slice));
      for (int64_t i = 0; i < count; ++i) {
        const auto to = new_row.find(row + i);
        if (to != new_row.end()) CopyRow(part, i, columns, y, to->second);
      }
    }
    return OkStatus();
  }

  void CopyRow(const Tensor& part, int64_t from, Remapping columns, Tensor& y, int64_t to) const {
    const int64_t width = part.dim(1);
    const float* old_row = part.data<float>() + from * width;
    float* new_row = y.mutable_data<float>() + to * columns_;
    if (columns.empty()) {
      std::copy_n(old_row, width, new_row);
      return;
    }
    for (int64_t i = 0; i < columns_; ++i) {
      if (columns[i] >= 0 && columns[i] < width) new_row[i] = old_row[columns[i]];
    }
  }

  Status FillMissing(const Tensor& values, Remapping rows, Remapping columns, Tensor& y) const {
    const int64_t given = values.num_elements();
    int64_t used = 0;
    for (int64_t i = 0; i < rows_; ++i) {
      for (int64_t j = 0; j < columns_; ++j) {
        if (rows[i] >= 0 && (columns.empty() || columns[j] >= 0)) continue;
        if (used == given) {
          return InvalidArgument("initializing_values contained ", given,
                                 " elements, but more missing values remain.");
        }
        y.mutable_data<float>()[i * columns_ + j] = values.data<float>()[used++];
      }
    }
    if (used == given) return OkStatus();
    return InvalidArgument("initializing_values contained ", given, " elements, but only ", used,
                           " elements were used to fill in missing values.");
  }

  int64_t rows_ = 0, columns_ = 0, max_rows_ = -1;
};

Status RemapMatrixShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  RAMET_ASSIGN_OR_RETURN(const int64_t rows, c.attr<int64_t>("num_rows"));
  RAMET_ASSIGN_OR_RETURN(const int64_t columns, c.attr<int64_t>("num_cols"));
  c.set_output(0, Shape{rows, columns});
  return OkStatus();
}

RAMET_OP("GenerateVocabRemapping")
    .Input("new_vocab_file: string")
    .Input("old_vocab_file: string")
    .Output("remapping: int64")
    .Output("num_present: int32")
    .Attr("new_vocab_offset: int >= 0")
    .Attr("num_new_vocab: int >= 0")
    .Attr("old_vocab_size: int >= -1 = -1")
    .Doc(
        "Compares two vocabularies, files with one word per line. Returns, for num_new_vocab words "
        "of the new one from line new_vocab_offset, the line in the first old_vocab_size lines "
        "(-1: "
        "all) of the old one, or -1, and how many words were found. Error: a file does not exist "
        "(kNotFound) or has fewer lines.")
    .HostMemory({"new_vocab_file", "old_vocab_file", "remapping", "num_present"})
    .Shape(VocabRemappingShape)
    .NotDifferentiable()
    .CpuKernelClass<VocabRemappingKernel>();

RAMET_OP("LoadAndRemapMatrix")
    .Input("ckpt_path: string")
    .Input("old_tensor_name: string")
    .Input("row_remapping: int64")
    .Input("col_remapping: int64")
    .Input("initializing_values: float")
    .Output("output_matrix: float")
    .Attr("num_rows: int >= 0")
    .Attr("num_cols: int >= 1")
    .Attr("max_rows_in_memory: int = -1")
    .Doc(
        "Reads a float matrix of a checkpoint and returns its rows and columns in a different "
        "order: row i is row row_remapping[i] of the stored matrix, and column j is column "
        "col_remapping[j], or j if col_remapping is empty. A negative entry stands for a new row "
        "or "
        "column; its elements come from initializing_values, row by row. At most "
        "max_rows_in_memory rows are read at a time (-1: all). Error: the checkpoint or tensor "
        "does "
        "not exist (kNotFound); an old row or column has two new numbers (kUnimplemented); the "
        "number of initializing_values differs from that of new elements; a shape is wrong.")
    .Stateful()
    .HostMemory({"ckpt_path", "old_tensor_name", "row_remapping", "col_remapping",
                 "initializing_values", "output_matrix"})
    .Shape(RemapMatrixShape)
    .NotDifferentiable()
    .CpuKernelClass<RemapMatrixKernel>();

}  // namespace
}  // namespace ramet
