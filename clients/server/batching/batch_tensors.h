#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <span>
#include <vector>

namespace server {

// The values of one run, a tensor per feed or fetch. Dimension 0 of all of them is the same number
// of rows.
using Rows = std::vector<ramet::Tensor>;

// Returns the number of rows of a request's feeds.
// \error kInvalidArgument: a tensor is a scalar, or the tensors differ in dimension 0.
ramet::StatusOr<int64_t> CountRows(const Rows& feeds);

// Reports whether two requests can be parts of one batch: the shapes differ in nothing but rows, or
// `pads` and the ranks are the same.
bool FitTogether(const Rows& a, const Rows& b, bool pads);

// Puts the rows of the requests below each other. Adds copies of the first row of the last request
// until there are `rows` of them. Extends shorter dimensions to the longest one, at the end, with
// the first element of the request's tensor.
// \error kInvalidArgument: the shape of the result overflows.
// \error kResourceExhausted: the memory cannot be allocated.
ramet::StatusOr<Rows> JoinRows(std::span<const Rows* const> requests, int64_t rows);

// Returns the rows [begin, begin + count) of each tensor.
// \error kResourceExhausted: the memory cannot be allocated.
ramet::StatusOr<Rows> SliceRows(const Rows& tensors, int64_t begin, int64_t count);

// Checks that the results of a batch have a row for each of its rows.
// \error kFailedPrecondition: they do not.
ramet::Status CheckResults(const Rows& results, int64_t rows);

}  // namespace server
