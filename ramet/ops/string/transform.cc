#include <algorithm>

#include "ramet/ops/string/map.h"

// Ops on each string of a tensor: case, white space, length.

namespace ramet {
namespace {

char UpperAscii(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

template <char (*kCase)(char)>
class CaseKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const auto encoding = node.attrs->GetOr<std::string>("encoding", "");
    if (encoding.empty()) return std::unique_ptr<Kernel>(std::make_unique<CaseKernel>());
    if (encoding == "utf-8") {
      return Unimplemented(
          "encoding 'utf-8' is not supported: Ramet changes the case of ASCII letters only; "
          "use encoding ''");
    }
    return InvalidArgument("only utf-8 or '' (no encoding) is supported, received ", encoding);
  }
  Status Compute(KernelContext& c) override {
    return MapStrings<std::string>(c, [](const std::string& text, std::string* out) {
      out->resize(text.size());
      std::ranges::transform(text, out->begin(), kCase);
      return OkStatus();
    });
  }
};

Status Strip(KernelContext& c) {
  return MapStrings<std::string>(c, [](const std::string& text, std::string* out) {
    constexpr std::string_view kSpace = " \t\n\v\f\r";
    const size_t first = text.find_first_not_of(kSpace);
    if (first == std::string::npos) return OkStatus();
    *out = text.substr(first, text.find_last_not_of(kSpace) - first + 1);
    return OkStatus();
  });
}

class LengthKernel final : public Kernel {
 public:
  explicit LengthKernel(bool characters) : characters_(characters) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<LengthKernel>(CountsCharacters(*node.attrs));
  }
  Status Compute(KernelContext& c) override {
    return MapStrings<int32_t>(c, [&](const std::string& text, int32_t* out) {
      *out = static_cast<int32_t>(characters_ ? std::ranges::count_if(text, BeginsCharacter)
                                              : std::ssize(text));
      return OkStatus();
    });
  }

 private:
  const bool characters_;
};

#define RAMET_CASE_OP(name, fn, what)                                                 \
  RAMET_OP(name)                                                                      \
      .Input("input: string")                                                         \
      .Output("output: string")                                                       \
      .Attr("encoding: string = ''")                                                  \
      .Doc("Returns the strings with their ASCII letters in " what                    \
           " case. The output has the shape of the input. Error: encoding is not '' " \
           "(kUnimplemented for 'utf-8').")                                           \
      .Shape(UnchangedShape)                                                          \
      .CpuKernelClass<CaseKernel<fn>>()

RAMET_CASE_OP("StringUpper", UpperAscii, "upper");
RAMET_CASE_OP("StringLower", LowerAscii, "lower");

RAMET_OP("StringStrip")
    .Input("input: string")
    .Output("output: string")
    .Doc(
        "Returns the strings without ASCII white space at both ends. The output has the shape of "
        "the input.")
    .Shape(UnchangedShape)
    .CpuKernel(Strip);

RAMET_OP("StringLength")
    .Input("input: string")
    .Output("output: int32")
    .Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
    .Doc(
        "Returns the number of bytes of each string, or of characters with unit UTF8_CHAR. The "
        "output has the shape of the input.")
    .Shape(UnchangedShape)
    .CpuKernelClass<LengthKernel>();

}  // namespace
}  // namespace ramet
