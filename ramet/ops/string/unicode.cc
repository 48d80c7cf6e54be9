#include "ramet/ops/string/unicode.h"

#include <unicode/ucnv_err.h>

namespace ramet {
namespace {

// Notes that a character is malformed and lets ICU substitute U+FFFD.
void NoteMalformed(const void* noted, UConverterToUnicodeArgs* args, const char* units,
                   int32_t length, UConverterCallbackReason reason, UErrorCode* error) {
  if (reason == UCNV_UNASSIGNED || reason == UCNV_ILLEGAL || reason == UCNV_IRREGULAR) {
    *static_cast<bool*>(const_cast<void*>(noted)) = true;
  }
  UCNV_TO_U_CALLBACK_SUBSTITUTE(nullptr, args, units, length, reason, error);
}

}  // namespace

StatusOr<UnicodeErrors> UnicodeErrors::Of(const AttrMap& attrs) {
  const auto policy = attrs.GetOr<std::string>("errors", "replace");
  const auto replacement = attrs.GetOr<int64_t>("replacement_char", 0xFFFD);
  if (policy != "strict" && policy != "replace" && policy != "ignore") {
    return InvalidArgument("errors policy must be one of 'strict', 'replace', or 'ignore'");
  }
  if (replacement < 0 || replacement > kMaxCodePoint) {
    return InvalidArgument("replacement_char out of unicode codepoint range");
  }
  return UnicodeErrors{policy == "strict", policy == "ignore",
                       attrs.GetOr("replace_control_characters", false),
                       static_cast<UChar32>(replacement)};
}

StatusOr<UnicodeReader> UnicodeReader::Open(const std::string& encoding) {
  UErrorCode error = U_ZERO_ERROR;
  UnicodeReader reader(ucnv_open(encoding.c_str(), &error));
  if (U_SUCCESS(error)) return reader;
  return InvalidArgument("Could not create converter for input encoding: ", encoding);
}

UChar32 UnicodeReader::Next(const char** at, const char* end, bool* malformed) {
  UErrorCode error = U_ZERO_ERROR;
  UConverterToUCallback old_callback;
  const void* old_context;
  ucnv_setToUCallBack(converter_.get(), NoteMalformed, malformed, &old_callback, &old_context,
                      &error);
  const UChar32 character = ucnv_getNextUChar(converter_.get(), at, end, &error);
  if (U_FAILURE(error)) *at = end;
  return character;
}

StatusOr<UnicodeForm> ParseUnicodeForm(const std::string& name) {
  if (name == "UTF-8") return UnicodeForm::kUtf8;
  if (name == "UTF-16-BE") return UnicodeForm::kUtf16;
  if (name == "UTF-32-BE") return UnicodeForm::kUtf32;
  return InvalidArgument("Invalid encoding \"", name,
                         "\": Should be one of: UTF-8, UTF-16-BE, UTF-32-BE");
}

std::string EncodeUnicode(UnicodeForm form, const icu::UnicodeString& text) {
  std::string out;
  if (form == UnicodeForm::kUtf8) {
    text.toUTF8String(out);
  } else if (form == UnicodeForm::kUtf16) {
    out.reserve(2 * static_cast<size_t>(text.length()));
    for (int32_t i = 0; i < text.length(); ++i) {
      out.push_back(static_cast<char>(text[i] >> 8));
      out.push_back(static_cast<char>(text[i]));
    }
  } else {
    for (int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
      const UChar32 code = text.char32At(i);
      for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(code >> shift));
    }
  }
  return out;
}

}  // namespace ramet
