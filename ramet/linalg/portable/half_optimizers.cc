#include "ramet/base/float16.h"
#include "ramet/linalg/levels/optimizer_loops.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg::portable {

// H with arithmetic that rounds after each operation, as Eigen does.
template <class H>
struct Rounded {
  H value;
  Rounded() = default;
  explicit Rounded(float f) : value(f) {}
  friend Rounded operator+(Rounded a, Rounded b) {
    return Rounded(float(a.value) + float(b.value));
  }
  friend Rounded operator-(Rounded a, Rounded b) {
    return Rounded(float(a.value) - float(b.value));
  }
  friend Rounded operator*(Rounded a, Rounded b) {
    return Rounded(float(a.value) * float(b.value));
  }
  friend Rounded operator/(Rounded a, Rounded b) {
    return Rounded(float(a.value) / float(b.value));
  }
};

template <class H>
Rounded<H> SquareRoot(Rounded<H> x) {
  return Rounded<H>(SquareRoot(static_cast<float>(x.value)));
}

template <class H>
Rounded<H> InverseSquareRoot(Rounded<H> x) {
  return Rounded<H>(InverseSquareRoot(static_cast<float>(x.value)));
}

template <class H>
struct FromDouble<Rounded<H>> {
  static Rounded<H> Do(double x) { return Rounded<H>(static_cast<float>(x)); }
};

void AddHalfOptimizers(KernelTable& t) {
  AddOptimizersOf<Rounded<Half>>(t, Type::kHalf);
  AddOptimizersOf<Rounded<BFloat16>>(t, Type::kBfloat16);
}

}  // namespace ramet::linalg::portable
