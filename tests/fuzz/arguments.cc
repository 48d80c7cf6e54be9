#include "arguments.h"

#include <algorithm>
#include <initializer_list>

#include "values.h"

namespace ramet::fuzz {
namespace {

bool OneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool IsAxis(std::string_view arg) {
  return OneOf(arg, {"axis", "dim", "dimension", "concat_dim", "split_dim", "reduction_indices",
                     "batch_dim", "seq_dim", "axes"});
}
bool IsShape(std::string_view arg) {
  return OneOf(arg, {"shape",
                     "dims",
                     "input_sizes",
                     "filter_sizes",
                     "orig_input_shape",
                     "multiples",
                     "element_shape",
                     "s0",
                     "s1",
                     "input_shape",
                     "begin",
                     "end",
                     "strides",
                     "size",
                     "out_backprop_sizes",
                     "dense_shape",
                     "shift",
                     "hypothesis_shape",
                     "truth_shape",
                     "sparse_shape",
                     "output_shape"});
}
bool IsCount(std::string_view arg) {
  return OneOf(arg, {"k", "n", "num", "num_segments", "depth", "num_elements", "max_num_elements",
                     "max_size", "index", "start", "limit", "delta", "num_samples", "output_dim0",
                     "num_lower", "num_upper", "leading_dims", "branch_index"});
}
bool IsIndex(std::string_view arg) {
  return arg.find("indices") != std::string_view::npos ||
         arg.find("_ids") != std::string_view::npos ||
         OneOf(arg, {"partitions", "targets", "labels", "idx", "indices"});
}
bool IsRate(std::string_view arg) {
  return OneOf(arg, {"lr",         "alpha",       "rho",          "epsilon",      "beta1",
                     "beta2",      "beta1_power", "beta2_power",  "momentum",     "l1",
                     "l2",         "lr_power",    "l2_shrinkage", "beta",         "logbase",
                     "sign_decay", "min_range",   "max_range",    "min",          "max",
                     "on_value",   "off_value",   "sample_rate",  "global_step",  "default_value",
                     "pred",       "cond",        "condition",    "mean",         "stddev",
                     "minval",     "maxval",      "alg",          "quantized_min"});
}
bool IsFileName(std::string_view arg) {
  return arg.find("file") != std::string_view::npos ||
         arg.find("prefix") != std::string_view::npos || OneOf(arg, {"pattern", "basename"});
}

// Draws the name of a tensor in a checkpoint, and a part of it.
Tensor DrawCheckpointNames(DraftContext& c, std::string_view arg) {
  const bool several = c.op.ends_with("V2") || c.op.starts_with("Save");
  const Shape shape = several ? Shape{c.random.In(0, 3)} : Shape();
  Tensor names(kString, shape);
  for (std::string& name : names.mutable_flat<std::string>()) {
    name =
        arg.find("slice") == std::string_view::npos
            ? c.random.Pick({"a", "b", "weights/0", "", "missing"})
            : c.random.Pick({"", "", "", "2 2 0,1:-", "4 0,2", "9223372036854775807 0,1", "x y"});
  }
  return names;
}

// Draws names of files in the scratch folder. They are relative, so that nothing outside of it is
// touched.
Tensor DrawFileName(DraftContext& c) {
  const Shape shape = c.random.Percent(80) ? Shape() : Shape{c.random.In(0, 3)};
  Tensor names(kString, shape);
  for (std::string& name : names.mutable_flat<std::string>()) {
    name = c.random.Pick({"file", "other", "missing", "folder/file", "", "fi*", "checkpoint"});
  }
  return names;
}

Tensor DrawAxes(DraftContext& c, std::string_view arg, DType dtype) {
  const int64_t rank = std::max(c.base.rank(), 1);
  const bool several = OneOf(arg, {"reduction_indices", "axes"}) || c.random.Percent(10);
  const Shape shape = several ? Shape{c.random.In(0, rank)} : Shape();
  return DrawIntegers(c.random, dtype, shape, -rank, rank - 1);
}

Tensor DrawPermutation(DraftContext& c, DType dtype) {
  std::vector<int64_t> perm;
  for (int i = 0; i < c.base.rank(); ++i) perm.push_back(i);
  for (size_t i = perm.size(); i > 1; --i) {
    std::swap(perm[i - 1], perm[static_cast<size_t>(c.random.Below(static_cast<int64_t>(i)))]);
  }
  return IntegersOf(dtype, Shape{c.base.rank()}, perm);
}

Tensor DrawDims(DraftContext& c, DType dtype) {
  if (c.random.Percent(10)) return DrawIntegers(c.random, dtype, Shape(), -1, 4);
  std::vector<int64_t> dims(c.base.dims().begin(), c.base.dims().end());
  const int64_t kind = c.random.Below(4);
  for (int64_t& d : dims) {
    if (kind == 0) d = c.random.In(0, 3);
    if (kind == 1) d = 1;
    if (kind == 2 && c.random.Percent(30)) d = c.random.Percent(50) ? -1 : c.random.In(0, 5);
  }
  if (c.random.Percent(10)) dims.push_back(c.random.In(-1, 3));
  return IntegersOf(dtype, Shape{static_cast<int64_t>(dims.size())}, dims);
}

Tensor DrawIndices(DraftContext& c, std::string_view arg, DType dtype) {
  const int64_t rows = c.base.rank() > 0 ? c.base.dim(0) : 1;
  const int64_t bound = std::clamp<int64_t>(rows, 1, 100);
  const bool ids = arg.find("ids") != std::string_view::npos;
  Shape shape{ids && c.random.Percent(80) ? std::min<int64_t>(rows, 100) : c.random.In(0, 4)};
  if (c.random.Percent(20)) shape.Append(c.random.In(0, 3));
  if (c.random.Percent(8)) shape = Shape();
  std::vector<int64_t> values(static_cast<size_t>(shape.num_elements()));
  for (int64_t& v : values) v = c.random.Below(bound);
  if (ids || c.random.Percent(20)) std::ranges::sort(values);
  return IntegersOf(dtype, shape, values);
}

Tensor DrawPairs(DraftContext& c, DType dtype) {
  const int64_t rows = c.random.Percent(80) ? std::max(c.base.rank(), 0) : c.random.In(0, 4);
  return DrawIntegers(c.random, dtype, Shape{rows, 2}, 0, 2);
}

Tensor DrawPlausible(DraftContext& c, std::string_view arg, DType dtype) {
  if (dtype == kString && IsFileName(arg)) return DrawFileName(c);
  if (arg.find("tensor_name") == 0 || arg.find("shape_and_slice") == 0 ||
      arg == "shapes_and_slices") {
    return DrawCheckpointNames(c, arg);
  }
  if (IsInteger(dtype)) {
    if (arg == "perm") return DrawPermutation(c, dtype);
    if (arg == "paddings" || arg == "crops") return DrawPairs(c, dtype);
    if (arg == "block_shape") return DrawIntegers(c.random, dtype, Shape{c.random.In(0, 2)}, 1, 2);
    if (arg == "seed") return DrawIntegers(c.random, dtype, Shape{2}, -9, 9);
    if (IsCount(arg)) return DrawIntegers(c.random, dtype, Shape(), 0, 5);
    if (IsAxis(arg)) return DrawAxes(c, arg, dtype);
    if (IsIndex(arg)) return DrawIndices(c, arg, dtype);
    if (IsShape(arg)) return DrawDims(c, dtype);
  }
  return DrawValue(c.random, dtype, DrawArgumentShape(c, arg, dtype), DrawValuesKind(c.random));
}

}  // namespace

Shape DrawBaseShape(Random& random, const OpSchema& schema) {
  const bool windows = schema.FindAttr("strides") != nullptr ||
                       schema.FindAttr("ksize") != nullptr || schema.FindAttr("ksizes") != nullptr;
  if (!windows || random.Percent(15)) return DrawShape(random);
  Shape shape{random.In(1, 2), random.In(1, 6), random.In(1, 6)};
  if (schema.name.find("3D") != std::string::npos) shape.Append(random.In(1, 4));
  shape.Append(random.In(1, 3));
  if (random.Percent(10)) shape.set_dim(static_cast<int>(random.Below(shape.rank())), 0);
  return shape;
}

Shape DrawArgumentShape(DraftContext& c, std::string_view arg, DType) {
  if (IsRate(arg) && c.random.Percent(90)) return Shape();
  if (arg == "filter" && c.base.rank() >= 3 && c.random.Percent(80)) {
    Shape shape;
    for (int i = 2; i < c.base.rank(); ++i) shape.Append(c.random.In(1, 3));
    shape.Append(c.base.dim(c.base.rank() - 1));
    if (c.op.find("Dilation") == std::string::npos) shape.Append(c.random.In(1, 3));
    return shape;
  }
  // Slots and gradients have the variable's shape, because most others are refused.
  if (c.op.find("Apply") != std::string::npos && c.random.Percent(85)) return c.base;
  return DrawRelatedShape(c.random, c.base);
}

Tensor DrawArgument(DraftContext& c, std::string_view arg, DType dtype) {
  Tensor value = DrawPlausible(c, arg, dtype);
  if (c.random.Percent(12) && !IsFileName(arg)) SpoilElement(c.random, &value);
  return value;
}

}  // namespace ramet::fuzz
