#pragma once

#include <memory>
#include <string>

#include "ramet/ops/lookup/table.h"

namespace ramet {

// How a table with open addressing starts.
struct DenseTableOptions {
  DType value = DType::kInvalid;
  Shape value_shape;          // [] or [n]
  int64_t num_buckets = 0;    // a power of 2, at least 4
  float max_load_factor = 0;  // between 0 and 1
};

// Returns a table whose keys and values have the shape of empty_key and value_shape. empty_key
// marks buckets without an entry, and deleted_key those whose entry was removed.
// \error kInvalidArgument: the two keys are equal, or differ in their shapes, or are not scalars or
//   vectors; the value shape is not that of a scalar or vector; the options are out of range.
StatusOr<std::shared_ptr<LookupTable>> MakeDenseTable(std::string name, const Tensor& empty_key,
                                                      const Tensor& deleted_key,
                                                      const DenseTableOptions& options);

}  // namespace ramet
