#pragma once

#include <cstdint>

#include "ramet/linalg/broadcast.h"
#include "ramet/linalg/types.h"

// Functions that copy the elements of broadcast operands. They use the calling thread's intra-op
// threads.
namespace ramet::linalg {

// y = condition ? a : b for elements of `width` bytes (1, 2, 4, 8 or 16), with operands (condition,
// a, b) broadcast by `plan` (of three operands). condition is bool.
void Select(int64_t width, const BroadcastPlan& plan, const bool* condition, const void* a,
            const void* b, void* y);

// z = complex(re, im) for real type float or double, with operands broadcast by `plan`.
void MakeComplex(Type real_type, const BroadcastPlan& plan, const void* re, const void* im,
                 void* z);

}  // namespace ramet::linalg
