#include "values.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "ramet/tensor/quantized.h"

namespace ramet::fuzz {
namespace {

constexpr int64_t kMaxElements = 512;

// Draws a shape in which one dimension is 0, so that nothing is allocated.
Shape DrawHugeEmptyShape(Random& random) {
  const std::vector<Shape> shapes = {Shape{int64_t{1} << 61, 0},      Shape{0, int64_t{1} << 40},
                                     Shape{int64_t{1} << 31, 0, 3},   Shape{0, 0},
                                     Shape{2, 0, int64_t{1} << 62},   Shape{0, int64_t{1} << 62},
                                     Shape{3, int64_t{1} << 32, 0, 2}};
  return random.Pick(shapes);
}

Shape DrawHighRank(Random& random) {
  Shape shape;
  const int64_t rank = random.Pick({6, 7, 8, 9, 12, 32, 254});
  for (int64_t i = 0; i < rank; ++i) {
    shape.Append(random.Percent(5) && shape.num_elements() < kMaxElements ? 2 : 1);
  }
  return shape;
}

int64_t DrawDim(Random& random) {
  if (random.Percent(5)) return 0;
  if (random.Percent(4)) return random.Pick({5, 7, 8, 16, 17, 31, 64});
  return random.In(1, 4);
}

template <class T>
constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
concept Quantized = requires(T v) {
  v.value;
};

// Converts a number to T, wrapping if T is an integer.
template <class T>
T FromInteger(int64_t value) {
  if constexpr (Quantized<T>) {
    return {static_cast<decltype(T::value)>(value)};
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return T(static_cast<float>(value));
  } else if constexpr (kIsComplex<T>) {
    return T(static_cast<typename T::value_type>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
T FromNumber(double value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return T(static_cast<float>(value));
  } else if constexpr (kIsComplex<T>) {
    return T(static_cast<typename T::value_type>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
constexpr bool kIsFloating = std::is_floating_point_v<T> || std::is_same_v<T, Half> ||
                             std::is_same_v<T, BFloat16> || kIsComplex<T>;

template <class T>
T DrawElement(Random& random, bool hostile) {
  if constexpr (kIsFloating<T>) {
    if (hostile) return FromNumber<T>(HostileNumber(random));
    if (random.Percent(50)) return FromInteger<T>(random.In(-3, 3));
    return FromNumber<T>(random.Unit() * 4 - 2);
  } else {
    if (hostile) return FromInteger<T>(HostileInt(random));
    return FromInteger<T>(random.Percent(80) ? random.In(0, 4) : random.In(-3, 9));
  }
}

bool DrawHostility(Random& random, Values values) {
  if (values == Values::kPlausible) return false;
  return random.Percent(values == Values::kHostile ? 70 : 10);
}

// A bool of C++ is 0 or 1; other bytes come from files (mutate.cc) and arrays (python/).
void FillBools(Random& random, Tensor* t) {
  for (bool& element : t->mutable_flat<bool>()) element = random.Below(2) == 1;
}

template <class Fn>
bool ForNumeric(DType t, Fn&& fn) {
  switch (t) {
    case kFloat: return fn(float{}), true;
    case kDouble: return fn(double{}), true;
    case kHalf: return fn(Half{}), true;
    case kBFloat16: return fn(BFloat16{}), true;
    case kInt8: return fn(int8_t{}), true;
    case kInt16: return fn(int16_t{}), true;
    case kInt32: return fn(int32_t{}), true;
    case kInt64: return fn(int64_t{}), true;
    case kUInt8: return fn(uint8_t{}), true;
    case kUInt16: return fn(uint16_t{}), true;
    case kUInt32: return fn(uint32_t{}), true;
    case kUInt64: return fn(uint64_t{}), true;
    case kComplex64: return fn(std::complex<float>{}), true;
    case kComplex128: return fn(std::complex<double>{}), true;
    case DType::kQInt8: return fn(QInt8{}), true;
    case DType::kQUInt8: return fn(QUInt8{}), true;
    case DType::kQInt16: return fn(QInt16{}), true;
    case DType::kQUInt16: return fn(QUInt16{}), true;
    case DType::kQInt32: return fn(QInt32{}), true;
    default: return false;
  }
}

}  // namespace

Shape DrawShape(Random& random) {
  if (random.Percent(4)) return DrawHugeEmptyShape(random);
  if (random.Percent(2)) return DrawHighRank(random);
  const int64_t rank = random.Pick({0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5});
  Shape shape;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t dim = DrawDim(random);
    shape.Append(shape.num_elements() * dim > kMaxElements ? 1 : dim);
  }
  return shape;
}

Shape DrawRelatedShape(Random& random, const Shape& base) {
  Shape shape = base;
  switch (random.Below(12)) {
    case 0: return Shape();
    case 1: return DrawShape(random);
    case 2:  // ones, which broadcast
      for (int i = 0; i < shape.rank(); ++i) {
        if (random.Percent(50)) shape.set_dim(i, 1);
      }
      return shape;
    case 3: return shape.rank() > 0 ? shape.Slice(1, shape.rank()) : shape;
    case 4: return shape.rank() > 0 ? shape.Slice(0, shape.rank() - 1) : shape;
    case 5:
      return shape.rank() > 0 ? Shape{shape.dim(static_cast<int>(random.Below(shape.rank())))}
                              : shape;
    case 6: {
      if (shape.rank() == 0) return shape;
      const int i = static_cast<int>(random.Below(shape.rank()));
      if (shape.dim(i) < 64) shape.set_dim(i, shape.dim(i) + random.Pick({-1, 1}));
      if (shape.dim(i) < 0) shape.set_dim(i, 0);
      return shape;
    }
    case 7: {  // a matrix product's inner dimensions
      if (shape.rank() < 2) return shape;
      const int64_t last = shape.dim(shape.rank() - 1);
      shape.set_dim(shape.rank() - 1, shape.dim(shape.rank() - 2));
      shape.set_dim(shape.rank() - 2, last);
      return shape;
    }
    default: return shape;
  }
}

Shape DrawPartialShape(Random& random) {
  if (random.Percent(20)) return Shape::Unknown();
  Shape shape = DrawShape(random);
  for (int i = 0; i < shape.rank(); ++i) {
    if (random.Percent(25)) shape.set_dim(i, Shape::kUnknownDim);
    if (random.Percent(3)) shape.set_dim(i, int64_t{1} << random.In(20, 62));
  }
  return shape;
}

int64_t HostileInt(Random& random) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin32 = std::numeric_limits<int32_t>::min();
  constexpr int64_t kMax32 = std::numeric_limits<int32_t>::max();
  if (random.Percent(30)) return random.Pick<int64_t>({0, -1, 1, -2, 2});
  if (random.Percent(50)) {
    return random.Pick<int64_t>({kMin32, kMin32 + 1, kMax32, kMax32 - 1, kMax32 + 1, kMin, kMin + 1,
                                 kMax, kMax - 1, 65535, 65536, 255, 256, 127, -128});
  }
  const int64_t power = int64_t{1} << random.In(4, 62);
  return (random.Percent(30) ? -power : power) + random.In(-1, 1);
}

double HostileNumber(Random& random) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  return random.Pick({kNaN,    kNaN,     kInf,         -kInf,         0.0,     -0.0,
                      1e-45,   -1e-45,   1e-310,       3.4e38,        -3.4e38, 1e39,
                      1.7e308, -1.7e308, 2147483648.0, -2147483649.0, 9.3e18,  -9.3e18,
                      1e20,    255.5,    -1.0,         1.0,           65504.0, 65520.0});
}

std::string DrawString(Random& random) {
  switch (random.Below(14)) {
    case 0: return "";
    case 1: return std::string("\0", 1);
    case 2: return std::string("a\0b", 3);
    case 3: return "\xff\xfe\x80";
    case 4: return "\xe2\x82";  // the start of a character
    case 5: return std::string(static_cast<size_t>(random.Pick({100, 5000, 70000})), 'x');
    case 6: return std::to_string(HostileInt(random));
    case 7: return random.Pick({"1e400", "nan", "-inf", "0x10", " 7", "7 ", "1e-400", "--1"});
    case 8:
      return random.Pick({"%s", "%", "{}", "%d%n", "\\", "\\1", "*", "[", "(", "a|", "(a*)*"});
    case 9: return random.Pick({"YWJj", "YWJ", "_-__", "YQ==", "=", "Y=Q="});
    case 10: return random.Pick({"file", "other", "missing"});
    case 11: return "\xf0\x9f\x98\x80 \xc3\xa9";
    default: return random.Pick({"a", "abc", "hello world", "a,b,,c", "loc:@a", "3.5", "-12"});
  }
}

Values DrawValuesKind(Random& random) {
  if (random.Percent(55)) return Values::kPlausible;
  return random.Percent(60) ? Values::kMixed : Values::kHostile;
}

StatusOr<Tensor> DrawTensor(Random& random, DType dtype, const Shape& shape, Values values) {
  RAMET_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(dtype, shape));
  if (dtype == kBool) FillBools(random, &t);
  if (dtype == kString) {
    for (std::string& s : t.mutable_flat<std::string>()) s = DrawString(random);
  }
  ForNumeric(dtype, [&]<class T>(T) {
    for (T& v : t.mutable_flat<T>()) v = DrawElement<T>(random, DrawHostility(random, values));
  });
  return t;
}

Tensor DrawValue(Random& random, DType dtype, const Shape& shape, Values values) {
  auto value = DrawTensor(random, dtype, shape, values);
  return value.ok() ? *std::move(value) : DrawTensor(random, dtype, Shape{1}, values).value();
}

Tensor DrawIntegers(Random& random, DType dtype, const Shape& shape, int64_t low, int64_t high) {
  if (!shape.Validate().ok()) return IntegersOf(dtype, Shape{1}, {low});
  std::vector<int64_t> values(static_cast<size_t>(shape.num_elements()));
  for (int64_t& v : values) v = random.In(low, high);
  return IntegersOf(dtype, shape, values);
}

Tensor IntegersOf(DType dtype, const Shape& shape, const std::vector<int64_t>& values) {
  Tensor t(dtype, shape);
  ForNumeric(dtype, [&]<class T>(T) {
    std::span<T> flat = t.mutable_flat<T>();
    for (size_t i = 0; i < flat.size(); ++i) flat[i] = FromInteger<T>(values[i]);
  });
  return t;
}

void SpoilElement(Random& random, Tensor* tensor) {
  if (tensor->empty() || tensor->num_elements() == 0) return;
  const int64_t at = random.Below(tensor->num_elements());
  if (tensor->dtype() == kString) tensor->mutable_data<std::string>()[at] = DrawString(random);
  if (tensor->dtype() == kBool) static_cast<uint8_t*>(tensor->raw_data())[at] = 2;
  ForNumeric(tensor->dtype(),
             [&]<class T>(T) { tensor->mutable_data<T>()[at] = DrawElement<T>(random, true); });
}

}  // namespace ramet::fuzz
