#include "ramet/linalg/svd_impl.h"

template Eigen::JacobiSVD<Eigen::MatrixXf>& Eigen::JacobiSVD<Eigen::MatrixXf>::compute(
    const Eigen::MatrixXf&, unsigned);

template void ramet::linalg::Svd(int64_t, int64_t, const float*, bool, float*, float*, float*);
