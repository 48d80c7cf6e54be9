#include <unicode/locid.h>
#include <unicode/unistr.h>

#include <algorithm>

#include "ramet/ops/string/map.h"

// Ops on each string of a tensor: case, white space, length.

namespace ramet {
namespace {

char UpperAscii(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Changes the case of ASCII letters, or of all letters with the encoding utf-8.
template <bool kUpper>
class CaseKernel final : public Kernel {
 public:
  explicit CaseKernel(bool utf8) : utf8_(utf8) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const auto encoding = node.attrs->GetOr<std::string>("encoding", "");
    if (!encoding.empty() && encoding != "utf-8") {
      return InvalidArgument("only utf-8 or '' (no encoding) is supported, received ", encoding);
    }
    return std::unique_ptr<Kernel>(std::make_unique<CaseKernel>(!encoding.empty()));
  }
  Status Compute(KernelContext& c) override {
    return MapStrings<std::string>(c, [&](const std::string& text, std::string* out) {
      if (utf8_) {
        ChangeUnicode(text, out);
      } else {
        out->resize(text.size());
        std::ranges::transform(text, out->begin(), kUpper ? UpperAscii : LowerAscii);
      }
      return OkStatus();
    });
  }

 private:
  static void ChangeUnicode(const std::string& text, std::string* out) {
    icu::UnicodeString letters = icu::UnicodeString::fromUTF8(text);
    if (kUpper) {
      letters.toUpper(icu::Locale::getRoot());
    } else {
      letters.toLower(icu::Locale::getRoot());
    }
    letters.toUTF8String(*out);
  }

  const bool utf8_;
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

#define RAMET_CASE_OP(name, upper, what)                                                       \
  RAMET_OP(name)                                                                               \
      .Input("input: string")                                                                  \
      .Output("output: string")                                                                \
      .Attr("encoding: string = ''")                                                           \
      .Doc("Returns the strings with their ASCII letters in " what                             \
           " case, or all letters with the encoding 'utf-8'. The output has the shape of the " \
           "input. Error: encoding is neither '' nor 'utf-8'.")                                \
      .Shape(UnchangedShape)                                                                   \
      .CpuKernelClass<CaseKernel<upper>>()

RAMET_CASE_OP("StringUpper", true, "upper");
RAMET_CASE_OP("StringLower", false, "lower");

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
