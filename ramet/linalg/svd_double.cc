#include "ramet/linalg/svd_impl.h"

template void ramet::linalg::Decompose<double>::Svd(int64_t, int64_t, const double*, bool, double*,
                                                    double*, double*);
