#include "ramet/ops/string/map.h"

// Base64 with the web-safe alphabet: - and _ for 62 and 63.

namespace ramet {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

class EncodeKernel final : public Kernel {
 public:
  explicit EncodeKernel(bool pad) : pad_(pad) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<EncodeKernel>(node.attrs->GetOr("pad", false));
  }
  Status Compute(KernelContext& c) override {
    return MapStrings<std::string>(c, [&](const std::string& text, std::string* out) {
      for (size_t i = 0; i < text.size(); i += 3)
        AppendGroup(std::string_view(text).substr(i), out);
      return OkStatus();
    });
  }

 private:
  // Appends the first three bytes as four letters.
  void AppendGroup(std::string_view bytes, std::string* out) const {
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0);
    }
    for (size_t i = 0; i < 4; ++i) {
      if (i <= bytes.size()) {
        *out += kAlphabet[bits >> (18 - 6 * i) & 63];
      } else if (pad_) {
        *out += '=';
      }
    }
  }

  const bool pad_;
};

Status DecodeOne(std::string_view text, std::string* out) {
  if (text.size() % 4 == 0) {
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  }
  if (text.size() % 4 == 1) {
    return InvalidArgument("Base64 string length cannot be 1 modulo 4.");
  }
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) {
      return InvalidArgument("Invalid character found in base64.");
    }
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    *out += static_cast<char>(bits >> count & 0xFF);
  }
  return OkStatus();
}

Status Decode(KernelContext& c) { return MapStrings<std::string>(c, DecodeOne); }

RAMET_OP("EncodeBase64")
    .Input("input: string")
    .Output("output: string")
    .Attr("pad: bool = false")
    .Doc(
        "Returns the strings in web-safe base64 (- and _ for 62 and 63). With `pad`, results are "
        "padded with = to a multiple of four characters. The output has the shape of the input.")
    .Shape(UnchangedShape)
    .NotDifferentiable()
    .CpuKernelClass<EncodeKernel>();

RAMET_OP("DecodeBase64")
    .Input("input: string")
    .Output("output: string")
    .Doc(
        "The inverse of EncodeBase64, with or without = at the end. The output has the shape of "
        "the input. Error: a string has an invalid character or an impossible length.")
    .Shape(UnchangedShape)
    .NotDifferentiable()
    .CpuKernel(Decode);

}  // namespace
}  // namespace ramet
