#include <algorithm>

#include "ramet/ops/string/map.h"

// Ops that split strings.

namespace ramet {
namespace {

using Pieces = std::vector<std::string_view>;

Pieces SplitAtAny(std::string_view text, std::string_view delimiters, bool skip_empty) {
  Pieces pieces;
  if (delimiters.empty()) {
    for (size_t i = 0; i < text.size(); ++i) pieces.push_back(text.substr(i, 1));
    return pieces;
  }
  if (text.empty()) return pieces;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(delimiters, begin), text.size());
    if (end > begin || !skip_empty) pieces.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return pieces;
}

// Splits at runs of white space. After `most` splits, the rest is one piece, even if it is empty.
Pieces SplitAtSpace(std::string_view text, int64_t most) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  if (most == 0) return {text};
  Pieces pieces;
  for (size_t begin = text.find_first_not_of(kSpace); begin != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
    pieces.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kSpace, end);
    if (std::ssize(pieces) != most) continue;
    pieces.push_back(text.substr(std::min(begin, text.size())));
    break;
  }
  return pieces;
}

Pieces SplitAt(std::string_view text, std::string_view separator, int64_t most) {
  if (separator.empty()) return SplitAtSpace(text, most);
  Pieces pieces;
  for (;;) {
    const bool last = most >= 0 && static_cast<int64_t>(pieces.size()) == most;
    const size_t end = last ? std::string_view::npos : text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + separator.size());
  }
}

// Outputs the pieces of each row as a sparse matrix.
Status SetSparse(KernelContext& c, const std::vector<Pieces>& rows) {
  int64_t count = 0, width = 0;
  for (const Pieces& pieces : rows) {
    count += std::ssize(pieces);
    width = std::max<int64_t>(width, std::ssize(pieces));
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * indices, c.Allocate(0, kInt64, Shape{count, 2}));
  RAMET_ASSIGN_OR_RETURN(Tensor * values, c.Allocate(1, kString, Shape{count}));
  RAMET_ASSIGN_OR_RETURN(Tensor * shape, c.Allocate(2, kInt64, Shape{2}));
  int64_t* at = indices->mutable_data<int64_t>();
  std::string* value = values->mutable_data<std::string>();
  for (int64_t row = 0; row < std::ssize(rows); ++row) {
    for (int64_t column = 0; column < std::ssize(rows[row]); ++column) {
      *at++ = row;
      *at++ = column;
      *value++ = rows[row][column];
    }
  }
  shape->mutable_data<int64_t>()[0] = std::ssize(rows);
  shape->mutable_data<int64_t>()[1] = width;
  return OkStatus();
}

Status Check(KernelContext& c, std::string_view delimiter) {
  if (c.input(0).rank() != 1) {
    return InvalidArgument("input must be a vector, got shape: ", c.input(0).shape());
  }
  if (c.input(1).rank() == 0) return OkStatus();
  return InvalidArgument(delimiter, " must be a scalar, got shape: ", c.input(1).shape());
}

class SplitKernel final : public Kernel {
 public:
  explicit SplitKernel(bool skip_empty) : skip_empty_(skip_empty) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<SplitKernel>(node.attrs->GetOr("skip_empty", true));
  }
  Status Compute(KernelContext& c) override {
    RAMET_RETURN_IF_ERROR(Check(c, "delimiter"));
    std::vector<Pieces> rows;
    for (const std::string& text : c.input(0).flat<std::string>()) {
      rows.push_back(SplitAtAny(text, c.input(1).scalar<std::string>(), skip_empty_));
    }
    return SetSparse(c, rows);
  }

 private:
  const bool skip_empty_;
};

class SplitV2Kernel final : public Kernel {
 public:
  explicit SplitV2Kernel(int64_t most) : most_(most) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<SplitV2Kernel>(node.attrs->GetOr<int64_t>("maxsplit", -1));
  }
  Status Compute(KernelContext& c) override {
    RAMET_RETURN_IF_ERROR(Check(c, "sep"));
    std::vector<Pieces> rows;
    for (const std::string& text : c.input(0).flat<std::string>()) {
      rows.push_back(SplitAt(text, c.input(1).scalar<std::string>(), most_));
    }
    return SetSparse(c, rows);
  }

 private:
  const int64_t most_;
};

Status SplitShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  c.set_output(0, Shape{Shape::kUnknownDim, 2});
  c.set_output(1, Shape{Shape::kUnknownDim});
  c.set_output(2, Shape{2});
  return OkStatus();
}

RAMET_OP("StringSplit")
    .Input("input: string")
    .Input("delimiter: string")
    .Output("indices: int64")
    .Output("values: string")
    .Output("shape: int64")
    .Attr("skip_empty: bool = true")
    .Doc(
        "Splits each string of a vector at the bytes of `delimiter` (between all bytes if it is "
        "empty). Returns the pieces as a sparse matrix with one row per string, without empty "
        "pieces if skip_empty is true. Error: `input` is not a vector; `delimiter` is not a "
        "scalar.")
    .Shape(SplitShape)
    .NotDifferentiable()
    .CpuKernelClass<SplitKernel>();

RAMET_OP("StringSplitV2")
    .Input("input: string")
    .Input("sep: string")
    .Output("indices: int64")
    .Output("values: string")
    .Output("shape: int64")
    .Attr("maxsplit: int = -1")
    .Doc(
        "Splits each string of a vector at `sep`, or at runs of white space if `sep` is empty, at "
        "most maxsplit times if that is not negative. Returns the pieces as a sparse matrix with "
        "one row per string. Error: `input` is not a vector; `sep` is not a scalar.")
    .Shape(SplitShape)
    .CpuKernelClass<SplitV2Kernel>();

}  // namespace
}  // namespace ramet
