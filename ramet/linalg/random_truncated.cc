#include "ramet/linalg/random_truncated.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <type_traits>
#include <utility>

#include "ramet/base/float16.h"
#include "ramet/linalg/random_groups.h"

namespace ramet::linalg {
namespace {

// A ShortFloat is a half that computes in floats and rounds each result, as Eigen's does.
struct ShortFloat {
  float value = 0;

  ShortFloat() = default;
  explicit ShortFloat(double x) : value(static_cast<float>(Half(static_cast<float>(x)))) {}
  friend ShortFloat operator+(ShortFloat a, ShortFloat b) { return ShortFloat(a.value + b.value); }
  friend ShortFloat operator-(ShortFloat a, ShortFloat b) { return ShortFloat(a.value - b.value); }
  friend ShortFloat operator*(ShortFloat a, ShortFloat b) { return ShortFloat(a.value * b.value); }
  friend ShortFloat operator/(ShortFloat a, ShortFloat b) { return ShortFloat(a.value / b.value); }
  friend ShortFloat operator-(ShortFloat a) { return ShortFloat(-a.value); }
  friend auto operator<=>(ShortFloat, ShortFloat) = default;
};

float Log(float x) { return std::log(x); }
double Log(double x) { return std::log(x); }
ShortFloat Log(ShortFloat x) { return ShortFloat(std::log(x.value)); }
float Exp(float x) { return std::exp(x); }
double Exp(double x) { return std::exp(x); }
ShortFloat Exp(ShortFloat x) { return ShortFloat(std::exp(x.value)); }
float Root(float x) { return std::sqrt(x); }
double Root(double x) { return std::sqrt(x); }
ShortFloat Root(ShortFloat x) { return ShortFloat(std::sqrt(x.value)); }

// The types of one element type: Number computes, and the groups make elements.
template <class T>
struct NumbersOf {
  using Number = T;
  using Uniform = UniformFloats;
};
template <>
struct NumbersOf<double> {
  using Number = double;
  using Uniform = UniformDoubles;
};
template <>
struct NumbersOf<Half> {
  using Number = ShortFloat;
  using Uniform = UniformHalves<Half, 0x3C00, 0x3FF>;
};

template <class Number, class T>
Number ToNumber(T x) {
  if constexpr (std::is_same_v<T, Half>)
    return Number(static_cast<float>(x));
  else
    return Number(x);
}
template <class T, class Number>
T ToElement(Number x) {
  if constexpr (std::is_same_v<T, Half>)
    return Half(x.value);
  else
    return x;
}

// Draws the samples of one distribution.
template <class T>
class TruncatedSampler {
 public:
  using N = typename NumbersOf<T>::Number;
  using Uniform = typename NumbersOf<T>::Uniform;
  using Normal = Normals<T>;

  TruncatedSampler(N mean, N deviation, N low, N high) : mean_(mean), deviation_(deviation) {
    valid_ = deviation > N(0) && low < high && (IsFinite(low) || IsFinite(high));
    // A one-sided interval gets a lower bound, and a positive one is preferred.
    if ((!IsFinite(low) && low < N(0)) || high < mean) {
      std::swap(low, high);
      deviation_ = -deviation_;
    }
    low_ = (low - mean_) / deviation_;
    high_ = (high - mean_) / deviation_;
  }

  // Reports whether the deviation is positive and the interval neither empty nor infinite.
  bool valid() const { return valid_; }

  // Calls emit(sample) `count` times, if nothing fails.
  template <class Emit>
  Truncation Draw(Philox& generator, int64_t count, const Emit& emit) const {
    if (!valid_) return Truncation::kInvalid;
    // The deviations inside an interval for which rejecting normal numbers is fast.
    const N inside(1.3);
    if ((low_ < -inside && high_ >= N(0)) || (high_ > inside && low_ <= N(0))) {
      return FromNormal(generator, count, emit);
    }
    const N root = Root(low_ * low_ + N(4));
    const N cutoff = N(2) * Exp(N(0.5) + low_ * (low_ - root) / N(4)) / (low_ + root);
    return high_ - low_ < cutoff ? FromUniform(generator, count, emit)
                                 : FromExponential(generator, count, emit);
  }

 private:
  static bool IsFinite(N x) { return x - x == N(0); }

  template <class Group>
  static void Make(Philox& generator, N* numbers) {
    T values[Group::kSize];
    Group::Make(generator, values);
    std::transform(values, values + Group::kSize, numbers, ToNumber<N, T>);
  }

  // Counts accepted and rejected numbers in a row.
  class Progress {
   public:
    explicit Progress(int64_t count) : left_(count) {}
    bool done() const { return left_ == 0; }
    bool Reject(int limit) { return ++rejected_ < limit; }
    void Accept() { --left_, rejected_ = 0; }

   private:
    int64_t left_;
    int rejected_ = 0;
  };

  template <class Emit>
  Truncation FromNormal(Philox& generator, int64_t count, const Emit& emit) const {
    for (Progress progress(count); !progress.done();) {
      N x[Normal::kSize];
      Make<Normal>(generator, x);
      for (int i = 0; i < Normal::kSize && !progress.done(); ++i) {
        if (x[i] >= low_ && x[i] <= high_) {
          emit(ToElement<T>(x[i] * deviation_ + mean_));
          progress.Accept();
        } else if (!progress.Reject(kMaxRejectedNumbers + 1)) {
          return Truncation::kNormalFailed;
        }
      }
    }
    return Truncation::kDone;
  }

  template <class Emit>
  Truncation FromUniform(Philox& generator, int64_t count, const Emit& emit) const {
    const N width = high_ - low_;
    const N offset = low_ < N(0) ? N(0) : low_ * low_;
    for (Progress progress(count); !progress.done();) {
      N z[Uniform::kSize], u[Uniform::kSize];
      Make<Uniform>(generator, z);
      Make<Uniform>(generator, u);
      for (int i = 0; i < Uniform::kSize && !progress.done(); ++i) {
        const N x = z[i] * width + low_;
        if (u[i] <= Exp((offset - x * x) / N(2))) {
          emit(ToElement<T>(x * deviation_ + mean_));
          progress.Accept();
        } else if (!progress.Reject(kMaxRejectedNumbers)) {
          return Truncation::kUniformFailed;
        }
      }
    }
    return Truncation::kDone;
  }

  template <class Emit>
  Truncation FromExponential(Philox& generator, int64_t count, const Emit& emit) const {
    const N alpha = (low_ + Root(low_ * low_ + N(4))) / N(2);
    for (Progress progress(count); !progress.done();) {
      N u[Uniform::kSize];
      Make<Uniform>(generator, u);
      for (int i = 0; i < Uniform::kSize && !progress.done(); i += 2) {
        const N z = -Log(u[i]) / alpha + low_;
        const N x = low_ < alpha ? alpha - z : low_ - alpha;
        if (u[i + 1] <= Exp(-x * x / N(2)) && z < high_) {
          emit(ToElement<T>(z * deviation_ + mean_));
          progress.Accept();
        } else if (!progress.Reject(kMaxRejectedNumbers)) {
          return Truncation::kExponentialFailed;
        }
      }
    }
    return Truncation::kDone;
  }

  N mean_, deviation_, low_, high_;
  bool valid_;
};

template <class T>
TruncatedSampler<T> SamplerAt(const TruncatedNormals& normals, int64_t b) {
  using N = typename NumbersOf<T>::Number;
  const auto at = [&](const TruncatedNormals::Parameter& p) {
    return ToNumber<N>(static_cast<const T*>(p.values)[b * p.step]);
  };
  return TruncatedSampler<T>(at(normals.mean), at(normals.deviation), at(normals.low),
                             at(normals.high));
}

template <class T>
bool AllValid(const TruncatedNormals& normals, int64_t count) {
  for (int64_t b = 0; b < count; ++b) {
    if (!SamplerAt<T>(normals, b).valid()) return false;
  }
  return true;
}

template <class T>
Truncation FillAll(Philox& generator, const TruncatedNormals& normals,
                   const TruncatedLayout& layout, T* y) {
  int64_t left = layout.total;
  for (int64_t b = 0; left > 0; ++b) {
    const TruncatedSampler<T> sampler = SamplerAt<T>(normals, b);
    const int64_t count = std::min(layout.samples, left);
    T* out = y + b * layout.distribution_step;
    const Truncation result = sampler.Draw(generator, count, [&](T x) {
      *out = x;
      out += layout.sample_step;
    });
    if (result != Truncation::kDone) return result;
    left -= count;
  }
  return Truncation::kDone;
}

}  // namespace

bool AreValid(Type type, const TruncatedNormals& normals, int64_t count) {
  switch (type) {
    case Type::kDouble: return AllValid<double>(normals, count);
    case Type::kHalf: return AllValid<Half>(normals, count);
    default: return AllValid<float>(normals, count);
  }
}

Truncation FillTruncatedNormals(Type type, Philox generator, const TruncatedNormals& normals,
                                const TruncatedLayout& layout, void* y) {
  switch (type) {
    case Type::kDouble: return FillAll(generator, normals, layout, static_cast<double*>(y));
    case Type::kHalf: return FillAll(generator, normals, layout, static_cast<Half*>(y));
    case Type::kFloat: return FillAll(generator, normals, layout, static_cast<float*>(y));
    default: return Truncation::kInvalid;
  }
}

}  // namespace ramet::linalg
