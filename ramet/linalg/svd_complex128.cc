#include <complex>

#include "ramet/linalg/svd_impl.h"

template void ramet::linalg::Svd(int64_t, int64_t, const std::complex<double>*, bool,
                                 std::complex<double>*, std::complex<double>*,
                                 std::complex<double>*);
