#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "ramet/builders/random.h"
#include "ramet/graph/add_op.h"

namespace ramet {

// Convenience builder functions that take more than one op: reductions, joining and splitting,
// filled tensors. Nodes and names are those of tf.reduce_sum, tf.concat, ... On an error, which the
// graph keeps, they return an invalid Output.

// The axes of a reduction: all of them, one, several, or those in a tensor. Negative axes count
// from the end.
class RAMET_EXPORT Axes {
 public:
  Axes() = default;                                              // all
  Axes(int axis) : axes_(Tensor(int32_t{axis})) {}               // NOLINT: implicit on purpose
  Axes(std::initializer_list<int> axes) : axes_(Input(axes)) {}  // NOLINT
  Axes(const std::vector<int>& axes) : axes_(Tensor::Vector<int32_t>(axes)) {}  // NOLINT
  Axes(const Output& axes) : axes_(axes) {}                                     // NOLINT
  bool all() const { return !axes_.has_value(); }
  const Input& input() const { return *axes_; }

 private:
  std::optional<Input> axes_;
};

struct ReduceOptions {
  bool keep_dims = false;
  std::string name = {};  // default: the op's
};
// Reductions along `axes`: Sum, Mean, Max, Min and Prod of numbers, Any and All of bools.
RAMET_EXPORT Output ReduceSum(const Output& x, const Axes& axes = {}, const ReduceOptions& o = {});
RAMET_EXPORT Output ReduceMean(const Output& x, const Axes& axes = {}, const ReduceOptions& o = {});
RAMET_EXPORT Output ReduceMax(const Output& x, const Axes& axes = {}, const ReduceOptions& o = {});
RAMET_EXPORT Output ReduceMin(const Output& x, const Axes& axes = {}, const ReduceOptions& o = {});
RAMET_EXPORT Output ReduceProd(const Output& x, const Axes& axes = {}, const ReduceOptions& o = {});
RAMET_EXPORT Output ReduceAny(const Output& x, const Axes& axes = {}, const ReduceOptions& o = {});
RAMET_EXPORT Output ReduceAll(const Output& x, const Axes& axes = {}, const ReduceOptions& o = {});

// Concatenates values along `axis`. A single value is returned through an Identity.
RAMET_EXPORT Output Concat(const std::vector<Input>& values, int axis,
                           std::string_view name = "concat");
// Splits `value` along `axis` into `num` equal parts, or into parts of the given sizes.
RAMET_EXPORT std::vector<Output> Split(const Output& value, int num, int axis = 0,
                                       std::string_view name = "split");
RAMET_EXPORT std::vector<Output> Split(const Output& value, const std::vector<int>& sizes,
                                       int axis = 0, std::string_view name = "split");
// Stack joins tensors of the same shape along a new axis; Unstack reverses it. Unstack takes the
// number of tensors from the static shape; if it is unknown, the graph records a kInvalidArgument
// error.
RAMET_EXPORT Output Stack(const std::vector<Input>& values, int axis = 0,
                          std::string_view name = "stack");
RAMET_EXPORT std::vector<Output> Unstack(const Output& value, int axis = 0,
                                         std::string_view name = "unstack");

// Permutes the axes by `perm`; by default, reverses them.
RAMET_EXPORT Output Transpose(const Output& x, const Axes& perm = {},
                              std::string_view name = "transpose");
// Removes the given axes, which must have size 1; by default, all axes of size 1.
RAMET_EXPORT Output Squeeze(const Output& x, const std::vector<int>& axes = {},
                            std::string_view name = "Squeeze");
// Returns the slices `indices` of `params` along `axis`.
RAMET_EXPORT Output Gather(const Output& params, const Input& indices, int axis = 0,
                           std::string_view name = "GatherV2");

// Tensors of zeros and ones (tf.zeros, tf.ones): constants if small, otherwise Fill nodes.
RAMET_EXPORT Output Zeros(Graph& graph, const Shape& shape, DType dtype = kFloat,
                          std::string_view name = "zeros");
RAMET_EXPORT Output Ones(Graph& graph, const Shape& shape, DType dtype = kFloat,
                         std::string_view name = "ones");

}  // namespace ramet
