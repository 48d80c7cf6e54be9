#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ramet/base/mutex.h"

namespace ramet::linalg {

// An Fft computes discrete Fourier transforms of one length, for T = float or double. The time is
// O(n log n) for every length n, including primes. Results are not scaled. x and y must not
// overlap. Not thread-safe, because it owns scratch memory. Runs on one thread.
template <class T>
class Fft {
 public:
  using Complex = std::complex<T>;
  // Eigen's FFT counts elements in int, and lengths with large prime factors are padded to up to
  // four times the length.
  static constexpr int64_t kMaxLength = int64_t{1} << 26;

  // n must be in [1, kMaxLength].
  explicit Fft(int64_t n);
  ~Fft();
  Fft(const Fft&) = delete;
  Fft& operator=(const Fft&) = delete;

  int64_t length() const { return n_; }
  // Compute the transform y[k] = sum of x[j] * exp(-2 pi i j k / n), and the one with the opposite
  // sign in the exponent, of n elements.
  void Forward(const Complex* x, Complex* y);
  void Inverse(const Complex* x, Complex* y);
  // Computes elements 0 to n / 2 of the transform of n real numbers.
  void ForwardReal(const T* x, Complex* y);
  // Computes the n real numbers of which x, of n / 2 + 1 elements, is the transform. The imaginary
  // parts of x[0] and, for an even n, of x[n / 2] are ignored.
  void InverseReal(const Complex* x, T* y);

 private:
  struct Plan;
  const int64_t n_;
  std::unique_ptr<Plan> plan_;
};

// An FftPool keeps the plans of transforms for later calls. Thread-safe.
template <class T>
class FftPool {
 public:
  // A Lease is the use of a plan by one thread. The pool must outlive it.
  class Lease {
   public:
    Lease(FftPool& pool, int64_t n) : pool_(pool), fft_(pool.Take(n)) {}
    ~Lease() { pool_.Keep(std::move(fft_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Fft<T>* operator->() const { return fft_.get(); }

   private:
    FftPool& pool_;
    std::unique_ptr<Fft<T>> fft_;
  };

 private:
  static constexpr size_t kMaxPlans = 32;
  std::unique_ptr<Fft<T>> Take(int64_t n);
  void Keep(std::unique_ptr<Fft<T>> fft);

  Mutex mutex_;
  std::vector<std::unique_ptr<Fft<T>>> plans_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet::linalg
