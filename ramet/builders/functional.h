#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "ramet/builders/control_flow.h"

namespace ramet {

// Functions over slices of tensors along their first dimension, built as while loops over tensor
// arrays, with the nodes and names of tf.map_fn, tf.scan, tf.foldl and tf.foldr. The tensors of
// `elems` have equal first dimensions, which may be unknown. The given function is called once,
// immediately, with one slice of each of them. Gradients can be computed.
//
// On an error, which the graph keeps, the outputs are invalid or missing. It is kInvalidArgument if
// there are no tensors, one is a scalar, first dimensions differ, or the function returns the wrong
// number of outputs, dtypes or shapes. Runs fail with kInvalidArgument if first dimensions turn out
// to differ, or if the first slice is needed and there is none.

struct MapFnOptions {
  std::vector<DType> dtypes = {};  // of the function's outputs; default: those of elems
  int parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  bool infer_shape = true;  // each output has the same shape in all iterations
  std::string_view name = "map";
};
// Returns the results of `fn` for each slice, stacked: one tensor per output of `fn`.
RAMET_EXPORT Outputs MapFn(Scope& scope, const std::function<Outputs(const Outputs& slices)>& fn,
                           const std::vector<Output>& elems, const MapFnOptions& options = {});

// A function of the results so far and the next slices. It returns the new results, in the same
// number.
using FoldFunction = std::function<Outputs(const Outputs& so_far, const Outputs& slices)>;

struct FoldOptions {
  // The initial values. By default the first slices, and the function starts with the second ones.
  std::vector<Input> initializer = {};
  int parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  std::string_view name = {};  // default: "foldl", "foldr"
};
// Returns the last results of `fn`. FoldR goes from the last slices to the first.
RAMET_EXPORT Outputs FoldL(Scope& scope, const FoldFunction& fn, const std::vector<Output>& elems,
                           const FoldOptions& options = {});
RAMET_EXPORT Outputs FoldR(Scope& scope, const FoldFunction& fn, const std::vector<Output>& elems,
                           const FoldOptions& options = {});

struct ScanOptions {
  std::vector<Input> initializer = {};  // see FoldOptions; by default the first slices are a result
  int parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  bool infer_shape = true;  // each output has the same shape in all iterations
  bool reverse = false;     // from the last slices to the first
  std::string_view name = "scan";
};
// Like FoldL, but returns all results of `fn`, stacked in the order of the slices.
RAMET_EXPORT Outputs Scan(Scope& scope, const FoldFunction& fn, const std::vector<Output>& elems,
                          const ScanOptions& options = {});

}  // namespace ramet
