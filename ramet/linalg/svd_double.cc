#include "ramet/linalg/svd_impl.h"

template Eigen::JacobiSVD<Eigen::MatrixXd>& Eigen::JacobiSVD<Eigen::MatrixXd>::compute(
    const Eigen::MatrixXd&, unsigned);

template void ramet::linalg::Svd(int64_t, int64_t, const double*, bool, double*, double*, double*);
