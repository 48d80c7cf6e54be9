#pragma once

#include <unicode/ucnv.h>
#include <unicode/unistr.h>

#include <memory>
#include <string>

#include "ramet/op/kernel.h"

// Text in the encodings that ICU knows.

namespace ramet {

inline constexpr UChar32 kMaxCodePoint = 0x10FFFF;

// A UnicodeErrors is the treatment of malformed text that a node selects with the attrs errors,
// replacement_char and replace_control_characters.
struct UnicodeErrors {
  bool strict = false;
  bool ignore = false;
  bool replace_control_characters = false;
  UChar32 replacement = 0xFFFD;

  // \error kInvalidArgument: "replacement_char out of unicode codepoint range".
  static StatusOr<UnicodeErrors> Of(const AttrMap& attrs);
  // Reports whether a character counts as malformed.
  bool Applies(UChar32 character, bool malformed) const {
    return malformed || (replace_control_characters && character <= 0x1F);
  }
};

// A UnicodeReader decodes strings of one encoding. Not thread-safe.
class UnicodeReader {
 public:
  // \error kInvalidArgument: "Could not create converter for input encoding: X".
  static StatusOr<UnicodeReader> Open(const std::string& encoding);

  // Calls fn(character, bytes, malformed) for each character of `text`; a malformed one is U+FFFD.
  template <class Fn>
  void ForEach(const std::string& text, Fn&& fn) {
    ucnv_resetToUnicode(converter_.get());
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
      const char* const begin = at;
      bool malformed = false;
      const UChar32 character = Next(&at, end, &malformed);
      fn(character, static_cast<int64_t>(at - begin), malformed);
    }
  }

 private:
  struct Close {
    void operator()(UConverter* converter) const { ucnv_close(converter); }
  };
  explicit UnicodeReader(UConverter* converter) : converter_(converter) {}
  UChar32 Next(const char** at, const char* end, bool* malformed);

  std::unique_ptr<UConverter, Close> converter_;
};

// Returns `text` in an encoding: UTF-8, UTF-16-BE or UTF-32-BE.
enum class UnicodeForm { kUtf8, kUtf16, kUtf32 };
StatusOr<UnicodeForm> ParseUnicodeForm(const std::string& name);
std::string EncodeUnicode(UnicodeForm form, const icu::UnicodeString& text);

}  // namespace ramet
