#pragma once

#include <cstddef>

#include "ramet/base/export.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// Rules for element bytes that come from outside of Ramet: a fed array, a publisher's memory, a
// file, a message (docs/decisions/0080-values-that-can-change.md).

// Reports whether a tensor of this dtype may be a view of memory that others can write at any time.
// Kernels index by integers and branch on bools, so only floating-point and complex tensors may.
RAMET_EXPORT bool MayStayShared(DType dtype);

// Sets each nonzero byte to 1. A C++ bool that is neither 0 nor 1 is undefined behavior.
RAMET_EXPORT void NormalizeBools(void* bytes, size_t size);
// Normalizes the elements of a bool tensor that nothing else uses yet. Ignores other dtypes.
RAMET_EXPORT void NormalizeBools(Tensor* tensor);

// Reports whether each byte of a bool tensor is 0 or 1; true for other dtypes.
RAMET_EXPORT bool HasOnlyBools(const Tensor& tensor);

// Returns the single element of a bool tensor; true for any byte but 0. Use it wherever a bool from
// a tensor selects an index or a branch.
RAMET_EXPORT bool IsTrue(const Tensor& scalar);

}  // namespace ramet
