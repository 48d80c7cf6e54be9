#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>

namespace ramet {

// The addresses that one computation on matrices reads and writes. An address may be null.
struct MatrixArgs {
  static constexpr int kMax = 3;
  std::array<const void*, kMax> operands = {};
  std::array<void*, kMax> results = {};

  template <class T>
  const T* in(int i) const {
    return static_cast<const T*>(operands[i]);
  }
  template <class T>
  T* out(int i) const {
    return static_cast<T*>(results[i]);
  }
};

// A range of elements that a computation reads or writes.
struct MatrixOperand {
  const void* data = nullptr;
  int64_t bytes = 0;

  template <class T>
  static MatrixOperand Of(const T* data, int64_t size) {
    return {data, size * int64_t{sizeof(T)}};
  }
};
struct MatrixResult {
  void* data = nullptr;
  int64_t bytes = 0;

  template <class T>
  static MatrixResult Of(T* data, int64_t size) {
    return {data, size * int64_t{sizeof(T)}};
  }
};

// A MatrixRunner calls a library's functions for the matrices of a stack, and lets the run be
// stopped between two of them and within a long one. Long ones work on copies in a thread of their
// own, which continues in the background if the run stops. Not thread-safe.
class MatrixRunner {
 public:
  // `multiplications` estimates the work for one matrix.
  explicit MatrixRunner(double multiplications) : work_(multiplications) {}

  // Calls compute(args), where args has an address per operand and per result. `compute` must not
  // refer to anything of its caller. Returns false if the run must stop; the results are then
  // undefined.
  template <class Compute>
  bool Run(std::initializer_list<MatrixOperand> operands,
           std::initializer_list<MatrixResult> results, const Compute& compute) {
    if (IsLong()) return RunDetached(operands, results, compute);
    MatrixArgs args;
    int i = 0, j = 0;
    for (const MatrixOperand& operand : operands) args.operands[i++] = operand.data;
    for (const MatrixResult& result : results) args.results[j++] = result.data;
    compute(args);
    return !MustStop();
  }

 private:
  bool IsLong() const;
  bool MustStop();
  static bool RunDetached(std::span<const MatrixOperand> operands,
                          std::span<const MatrixResult> results,
                          std::function<void(const MatrixArgs&)> compute);

  const double work_;
  double unchecked_work_ = 0;  // since MustStop last looked
};

// Return estimates of the work of a product [m, n] * [n, k], of a factorization and of the
// iterations for singular values or eigenvalues, in multiplications.
inline double ProductWork(int64_t m, int64_t n, int64_t k) {
  return double(m) * double(n) * double(k);
}
inline double FactorWork(int64_t n) { return ProductWork(n, n, n); }
inline double SpectralWork(int64_t m, int64_t n) {
  constexpr double kProducts = 10;
  return kProducts * ProductWork(m, n, m < n ? m : n);
}

}  // namespace ramet
