#pragma once

#include <cstdint>

namespace ramet::linalg {

// The functions of oneDNN that linalg calls, as dnnl.h declares them, from a private copy: the
// library is opened when first needed, with its symbols local and bound to itself, so that it does
// not meet another oneDNN in the process.
struct OneDnn {
  using Sgemm = int (*)(char transa, char transb, int64_t m, int64_t n, int64_t k, float alpha,
                        const float* a, int64_t lda, const float* b, int64_t ldb, float beta,
                        float* c, int64_t ldc);
  Sgemm sgemm = nullptr;
};

// The functions, or nullptr (with one warning on the log) when there is no libdnnl.so.2; then as
// long as the process lives. With RAMET_ONEDNN=0 in the environment, nullptr without a warning.
const OneDnn* LoadOneDnn();

}  // namespace ramet::linalg
