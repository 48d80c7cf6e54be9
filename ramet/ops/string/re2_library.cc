#include "ramet/ops/string/re2_library.h"

#include "ramet/base/own_library.h"

namespace ramet {
namespace {

using re2::StringPiece;

// Member functions of RE2 as functions of an object, under their names in the library (Itanium C++
// ABI).
struct Re2Functions {
  void (*construct)(RE2*, const StringPiece&, const RE2::Options&);
  void (*destroy)(RE2*);
  bool (*full_match)(const StringPiece&, const RE2&, const RE2::Arg* const*, int);
  bool (*check_rewrite)(const RE2*, const StringPiece&, std::string*);
  bool (*replace)(std::string*, const RE2&, const StringPiece&);
  int (*replace_all)(std::string*, const RE2&, const StringPiece&);
  std::string error;  // why the library cannot be used, or ""
};

#define RAMET_STD_STRING "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

template <class F>
void Find(void* library, const char* name, F* function, std::string* error) {
  *function = reinterpret_cast<F>(dlsym(library, name));
  if (*function == nullptr) *error = StrCat("it has no ", name);
}

Re2Functions Load() {
  Re2Functions f{};
  void* library = OpenOwnLibrary(RAMET_RE2_LIBRARY);
  if (library == nullptr) {
    f.error = dlerror();
    return f;
  }
  Find(library, "_ZN3re23RE2C1ERKNS_11StringPieceERKNS0_7OptionsE", &f.construct, &f.error);
  Find(library, "_ZN3re23RE2D1Ev", &f.destroy, &f.error);
  Find(library, "_ZN3re23RE210FullMatchNERKNS_11StringPieceERKS0_PKPKNS0_3ArgEi", &f.full_match,
       &f.error);
  Find(library, "_ZNK3re23RE218CheckRewriteStringERKNS_11StringPieceEP" RAMET_STD_STRING,
       &f.check_rewrite, &f.error);
  Find(library, "_ZN3re23RE27ReplaceEP" RAMET_STD_STRING "RKS0_RKNS_11StringPieceE", &f.replace,
       &f.error);
  Find(library, "_ZN3re23RE213GlobalReplaceEP" RAMET_STD_STRING "RKS0_RKNS_11StringPieceE",
       &f.replace_all, &f.error);
  return f;
}

const Re2Functions& Re2() {
  static const auto* const functions = new Re2Functions(Load());
  return *functions;
}

}  // namespace

StatusOr<std::shared_ptr<const Regex>> Regex::Compile(const std::string& pattern) {
  if (!Re2().error.empty()) {
    return FailedPrecondition(RAMET_RE2_LIBRARY " cannot be used for regular expressions (",
                              Re2().error, "): install it (Debian: " RAMET_RE2_PACKAGE ")");
  }
  std::shared_ptr<const Regex> regex(new Regex(pattern));
  if (regex->re2().ok()) return regex;
  return InvalidArgument("Invalid pattern: ", pattern, ", error: ", regex->re2().error());
}

Regex::Regex(const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  Re2().construct(reinterpret_cast<RE2*>(memory_), pattern, options);
}

Regex::~Regex() { Re2().destroy(reinterpret_cast<RE2*>(memory_)); }

bool Regex::FullMatches(const std::string& text) const {
  return Re2().full_match(text, re2(), nullptr, 0);
}

bool Regex::IsRewrite(const std::string& rewrite) const {
  std::string error;
  return Re2().check_rewrite(&re2(), rewrite, &error);
}

void Regex::Replace(const std::string& rewrite, std::string* text) const {
  Re2().replace(text, re2(), rewrite);
}

void Regex::ReplaceAll(const std::string& rewrite, std::string* text) const {
  Re2().replace_all(text, re2(), rewrite);
}

}  // namespace ramet
