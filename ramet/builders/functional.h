#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "ramet/builders/control_flow.h"

namespace ramet {

// Functions of tensors' slices along their first dimension, as while loops over tensor arrays:
// nodes and names are those of tf.map_fn, tf.scan, tf.foldl and tf.foldr. The tensors of `elems`
// are of one first dimension, which may be unknown. The given function is called once, now, and
// gets one slice of each of them. Gradients can be taken.
//
// After an error, which the graph keeps (kInvalidArgument if there are no tensors, one is a scalar,
// or first dimensions differ; if the function returns another number of outputs than it must,
// other dtypes or shapes), the outputs are invalid or none. Runs fail (kInvalidArgument) where
// first dimensions turn out to differ, or the first slice is asked for and there is none.

struct MapFnOptions {
  std::vector<DType> dtypes = {};  // of the function's outputs; none: those of elems
  int parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  bool infer_shape = true;  // whether each output has one shape in all iterations
  std::string_view name = "map";
};
// What `fn` returns for each slice, stacked: one output for each of its outputs.
RAMET_EXPORT Outputs MapFn(Scope& scope, const std::function<Outputs(const Outputs& slices)>& fn,
                           const std::vector<Output>& elems, const MapFnOptions& options = {});

// `fn` of what has come out so far and the next slices returns what comes out then, as many
// outputs.
using FoldFunction = std::function<Outputs(const Outputs& so_far, const Outputs& slices)>;

struct FoldOptions {
  // What to begin with; none: the first slices, and the function begins with the next ones.
  std::vector<Input> initializer = {};
  int parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  std::string_view name = {};  // default: "foldl", "foldr"
};
// What `fn` returned for the last slices; FoldR goes from the last slices to the first.
RAMET_EXPORT Outputs FoldL(Scope& scope, const FoldFunction& fn, const std::vector<Output>& elems,
                           const FoldOptions& options = {});
RAMET_EXPORT Outputs FoldR(Scope& scope, const FoldFunction& fn, const std::vector<Output>& elems,
                           const FoldOptions& options = {});

struct ScanOptions {
  std::vector<Input> initializer = {};  // as in FoldOptions; the first slices count as a result
  int parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  bool infer_shape = true;  // whether each output has one shape in all iterations
  bool reverse = false;     // from the last slices to the first
  std::string_view name = "scan";
};
// As FoldL, but all that `fn` returned, stacked in the order of the slices.
RAMET_EXPORT Outputs Scan(Scope& scope, const FoldFunction& fn, const std::vector<Output>& elems,
                          const ScanOptions& options = {});

}  // namespace ramet
