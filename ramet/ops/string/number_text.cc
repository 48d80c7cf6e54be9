#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>

#include "ramet/ops/math/types.h"
#include "ramet/ops/string/map.h"
#include "ramet/ops/string/read_integer.h"

// Conversion of numbers from and to text.

namespace ramet {
namespace {

template <class T>
Status ToNumber(KernelContext& c) {
  return MapStrings<T>(c, [](const std::string& text, T* out) -> Status {
    bool ok;
    if constexpr (std::is_floating_point_v<T>) {
      ok = ReadFloat(text, out);
    } else {
      ok = ReadInteger(text, out);
    }
    if (ok) return OkStatus();
    return InvalidArgument("StringToNumberOp could not correctly convert string: ", text);
  });
}

RAMET_OP("StringToNumber")
    .Input("string_tensor: string")
    .Output("output: out_type")
    .Attr("out_type: {float, double, int32, int64, uint32, uint64} = float")
    .Doc(
        "Returns the numbers that the strings represent. White space around a number is ignored. "
        "The output has the shape of string_tensor. Error: a string is not a number of type "
        "out_type.")
    .Shape(UnchangedShape)
    .NotDifferentiable()
    .CpuKernels<float, double, int32_t, int64_t, uint32_t, uint64_t>(
        []<class T>(KernelContext& c) { return ToNumber<T>(c); }, "out_type");

// The format of AsString: a printf format without its length modifier, and the conversion.
struct TextFormat {
  std::string flags;
  char conversion = 'f';
  int64_t width = -1, precision = -1;
};

template <class... Args>
std::string Printed(const std::string& format, Args... args) {
  const int size = std::snprintf(nullptr, 0, format.c_str(), args...);
  std::string text(size > 0 ? size : 0, '\0');
  std::snprintf(text.data(), text.size() + 1, format.c_str(), args...);
  return text;
}

template <class T>
std::string TextOf(const TextFormat& f, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (f.width <= 0) return value;
    const std::string text = f.precision < 0 ? value : value.substr(0, f.precision);
    const std::string fill(std::max<int64_t>(f.width - std::ssize(text), 0), ' ');
    return f.flags.starts_with('-') ? text + fill : fill + text;
  } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                       std::is_same_v<T, std::complex<double>>) {
    return StrCat("(", TextOf(f, value.real()), ",", TextOf(f, value.imag()), ")");
  } else if constexpr (std::is_unsigned_v<T>) {
    return Printed(StrCat("%", f.flags, "llu"), static_cast<unsigned long long>(value));
  } else if constexpr (std::is_integral_v<T>) {
    return Printed(StrCat("%", f.flags, "lld"), static_cast<long long>(value));
  } else {
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    return Printed(StrCat("%", f.flags, std::string(1, f.conversion)),
                   static_cast<double>(static_cast<Wide>(value)));
  }
}

StatusOr<TextFormat> FormatOf(const AttrMap& attrs, DType t) {
  constexpr int64_t kWidest = 1 << 16;
  const auto precision = attrs.GetOr<int64_t>("precision", -1);
  const auto width = attrs.GetOr<int64_t>("width", -1);
  const bool scientific = attrs.GetOr("scientific", false);
  const bool shortest = attrs.GetOr("shortest", false);
  const auto fill = attrs.GetOr<std::string>("fill", "");
  // TensorFlow accepts the options of real numbers for strings. Only width and precision have an
  // effect, the latter if there is a width.
  const bool real = IsFloating(t) || IsComplex(t) || t == DType::kString;
  if (!real && precision > -1) {
    return InvalidArgument("precision not supported for datatype ", DTypeName(t));
  }
  if (!real && (scientific || shortest)) {
    return InvalidArgument("scientific and shortest format not supported for datatype ",
                           DTypeName(t));
  }
  if (scientific && shortest) {
    return InvalidArgument("Cannot select both scientific and shortest notation");
  }
  if (fill.size() > 1) return InvalidArgument("Fill string must be one or fewer characters");
  if (!fill.empty() && std::string_view(" +-0#").find(fill[0]) == std::string_view::npos) {
    return InvalidArgument("Fill argument not supported: \"", fill, "\"");
  }
  if (width > kWidest || precision > kWidest) {
    return InvalidArgument("width and precision must be at most ", kWidest, ", found ", width,
                           " and ", precision);
  }
  TextFormat format;
  format.flags = fill;
  if (width > -1) format.flags += std::to_string(width);
  if (precision > -1) format.flags += StrCat(".", precision);
  format.width = width;
  format.precision = precision;
  format.conversion = shortest ? 'g' : scientific ? 'e' : 'f';
  return format;
}

template <class T>
class AsStringKernel final : public Kernel {
 public:
  explicit AsStringKernel(TextFormat format) : format_(std::move(format)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(TextFormat format, FormatOf(*node.attrs, DTypeOf<T>::value));
    return std::unique_ptr<Kernel>(std::make_unique<AsStringKernel>(std::move(format)));
  }
  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, kString, x.shape()));
    std::ranges::transform(x.flat<T>(), y->mutable_data<std::string>(),
                           [&](const T& v) { return TextOf(format_, v); });
    return OkStatus();
  }

 private:
  const TextFormat format_;
};

RAMET_OP("AsString")
    .Input("input: T")
    .Output("output: string")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64, complex64, complex128, bool, variant, string}")
    .Attr("precision: int = -1")
    .Attr("scientific: bool = false")
    .Attr("shortest: bool = false")
    .Attr("width: int = -1")
    .Attr("fill: string = ''")
    .Doc(
        "Returns the numbers as text. `precision` is the number of digits after the decimal point "
        "(6 if it is -1); `scientific` writes an exponent; `shortest` selects the shorter of both "
        "forms. The text is at least `width` characters wide, padded as the printf flag in `fill` "
        "specifies. Strings are padded, too, and cut off after `precision` bytes if `width` is "
        "positive. The output has the shape of the input. Error: `fill` is not a known flag; "
        "precision, scientific or shortest is set for numbers that are not real or complex; "
        "scientific and shortest are both set; width or precision is above 65536.")
    .Shape(UnchangedShape)
    .NotDifferentiable()
    .CpuKernelClasses<AsStringKernel, RAMET_NUMBERS, bool, std::string>();

}  // namespace
}  // namespace ramet
