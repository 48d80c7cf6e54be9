#include "ramet/linalg/svd_impl.h"

template void ramet::linalg::Decompose<float>::Svd(int64_t, int64_t, const float*, bool, float*,
                                                   float*, float*);
