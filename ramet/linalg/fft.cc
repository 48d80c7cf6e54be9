#include "ramet/linalg/fft.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <unsupported/Eigen/FFT>
#include <utility>

namespace ramet::linalg {
namespace {

// A transform of a length with a prime factor p takes p steps per element in Eigen. Larger primes
// are left to a Chirp.
constexpr int64_t kMaxPrime = 31;

bool HasLargePrime(int64_t n) {
  for (int64_t p = 2; p <= kMaxPrime; ++p) {
    while (n % p == 0) n /= p;
  }
  return n > 1;
}

template <class T>
class EigenFft {
 public:
  EigenFft() {
    fft_.SetFlag(Eigen::FFT<T>::Unscaled);
    fft_.SetFlag(Eigen::FFT<T>::HalfSpectrum);
  }
  template <class X, class Y>
  void Forward(const X* x, Y* y, int64_t n) {
    fft_.fwd(y, x, n);
  }
  template <class X, class Y>
  void Inverse(const X* x, Y* y, int64_t n) {
    fft_.inv(y, x, n);
  }

 private:
  Eigen::FFT<T> fft_;
};

// A Chirp computes transforms of any length n as a convolution with exp(i pi j^2 / n), in double.
// The convolution is computed by transforms whose length is a power of two. Source: Bluestein, "A
// linear filtering approach to the computation of discrete Fourier transform", 1970.
class Chirp {
 public:
  using Complex = std::complex<double>;

  explicit Chirp(int64_t n)
      : n_(n), padded_(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * n - 1)))) {
    const auto padded = static_cast<size_t>(padded_);
    chirp_.reserve(static_cast<size_t>(n));
    for (int64_t j = 0; j < n; ++j) {
      // The angle is reduced exactly, so that it is precise for large j.
      const double turns = static_cast<double>(j * j % (2 * n)) / static_cast<double>(n);
      chirp_.push_back(std::polar(1.0, -std::numbers::pi * turns));
    }
    work_.assign(padded, Complex());
    for (int64_t j = 0; j < n; ++j) {
      work_[j] = work_[(padded_ - j) % padded_] = std::conj(chirp_[j]) / double(padded_);
    }
    kernel_.resize(padded);
    fft_.Forward(work_.data(), kernel_.data(), padded_);
    spectrum_.resize(padded);
  }

  // Computes the transform of load(j) and calls store(k, value) for the first `count` elements.
  template <class Load, class Store>
  void Run(const Load& load, int64_t count, const Store& store) {
    for (int64_t j = 0; j < n_; ++j) work_[j] = load(j) * chirp_[j];
    std::fill(work_.begin() + n_, work_.end(), Complex());
    fft_.Forward(work_.data(), spectrum_.data(), padded_);
    for (size_t i = 0; i < spectrum_.size(); ++i) spectrum_[i] *= kernel_[i];
    fft_.Inverse(spectrum_.data(), work_.data(), padded_);
    for (int64_t k = 0; k < count; ++k) store(k, work_[k] * chirp_[k]);
  }

 private:
  const int64_t n_, padded_;
  EigenFft<double> fft_;
  std::vector<Complex> chirp_, kernel_, work_, spectrum_;
};

}  // namespace

template <class T>
struct Fft<T>::Plan {
  EigenFft<T> smooth;
  std::unique_ptr<Chirp> chirp;  // null for lengths with small prime factors
};

template <class T>
Fft<T>::Fft(int64_t n) : n_(n), plan_(std::make_unique<Plan>()) {
  if (HasLargePrime(n)) plan_->chirp = std::make_unique<Chirp>(n);
}

template <class T>
Fft<T>::~Fft() = default;

template <class T>
void Fft<T>::Forward(const Complex* x, Complex* y) {
  if (n_ == 1) {
    *y = *x;
  } else if (plan_->chirp == nullptr) {
    plan_->smooth.Forward(x, y, n_);
  } else {
    plan_->chirp->Run([x](int64_t j) { return Chirp::Complex(x[j]); }, n_,
                      [y](int64_t k, Chirp::Complex v) { y[k] = Complex(v); });
  }
}

template <class T>
void Fft<T>::Inverse(const Complex* x, Complex* y) {
  if (n_ == 1) {
    *y = *x;
  } else if (plan_->chirp == nullptr) {
    plan_->smooth.Inverse(x, y, n_);
  } else {
    plan_->chirp->Run([x](int64_t j) { return std::conj(Chirp::Complex(x[j])); }, n_,
                      [y](int64_t k, Chirp::Complex v) { y[k] = Complex(std::conj(v)); });
  }
}

template <class T>
void Fft<T>::ForwardReal(const T* x, Complex* y) {
  if (n_ == 1) {
    *y = *x;
  } else if (plan_->chirp == nullptr) {
    plan_->smooth.Forward(x, y, n_);
  } else {
    plan_->chirp->Run([x](int64_t j) { return Chirp::Complex(x[j]); }, n_ / 2 + 1,
                      [y](int64_t k, Chirp::Complex v) { y[k] = Complex(v); });
  }
}

template <class T>
void Fft<T>::InverseReal(const Complex* x, T* y) {
  if (n_ == 1) {
    *y = x->real();
  } else if (plan_->chirp == nullptr) {
    plan_->smooth.Inverse(x, y, n_);
  } else {
    // The spectrum of real numbers is Hermitian. The conjugates for the inverse cancel those of the
    // first half.
    const auto load = [x, n = n_](int64_t j) {
      if (j == 0) return Chirp::Complex(x[0].real());
      return j <= n / 2 ? std::conj(Chirp::Complex(x[j])) : Chirp::Complex(x[n - j]);
    };
    const auto store = [y](int64_t k, Chirp::Complex v) { y[k] = static_cast<T>(v.real()); };
    plan_->chirp->Run(load, n_, store);
  }
}

template <class T>
std::unique_ptr<Fft<T>> FftPool<T>::Take(int64_t n) {
  {
    const MutexLock lock(mutex_);
    const auto found =
        std::ranges::find_if(plans_, [n](const auto& plan) { return plan->length() == n; });
    if (found != plans_.end()) {
      std::unique_ptr<Fft<T>> fft = std::move(*found);
      plans_.erase(found);
      return fft;
    }
  }
  return std::make_unique<Fft<T>>(n);
}

template <class T>
void FftPool<T>::Keep(std::unique_ptr<Fft<T>> fft) {
  const MutexLock lock(mutex_);
  if (plans_.size() == kMaxPlans) plans_.erase(plans_.begin());
  plans_.push_back(std::move(fft));
}

template class Fft<float>;
template class Fft<double>;
template class FftPool<float>;
template class FftPool<double>;

}  // namespace ramet::linalg
