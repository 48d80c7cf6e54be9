#include "ramet/backends/gpu/codegen/parameters.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "ramet/base/strings.h"

namespace ramet::gpu {
namespace {

constexpr auto kNotFound = std::string_view::npos;

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Returns the text up to the end of the parentheses in which it begins.
std::string_view InParentheses(std::string_view text) {
  int depth = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return text.substr(0, i);
  }
  return text;
}

// Returns what a macro without parameters stands for, or nothing. Its definition is on one line.
std::string_view MacroOf(std::string_view source, std::string_view name) {
  const std::string start = StrCat("#define ", name, " ");
  const size_t at = source.find(start);
  if (name.empty() || at == kNotFound) return {};
  const std::string_view text = source.substr(at + start.size());
  return text.substr(0, text.find('\n'));
}

bool IsOnlyRead(std::string_view parameter) {
  return parameter.starts_with("GLOBAL const ") && parameter.find('*') != kNotFound;
}

void AddParameters(std::string_view source, std::string_view list, std::vector<bool>* only_read) {
  int depth = 0;
  for (size_t begin = 0, i = 0; i <= list.size(); ++i) {
    if (i < list.size()) depth += list[i] == '(' ? 1 : list[i] == ')' ? -1 : 0;
    if (i < list.size() && (list[i] != ',' || depth > 0)) continue;
    const std::string_view parameter = Trimmed(list.substr(begin, i - begin));
    begin = i + 1;
    const std::string_view macro = MacroOf(source, parameter);
    if (!macro.empty()) {
      AddParameters(source, macro, only_read);
    } else if (!parameter.empty()) {
      only_read->push_back(IsOnlyRead(parameter));
    }
  }
}

}  // namespace

std::vector<bool> OnlyReadParameters(std::string_view source, std::string_view kernel) {
  std::vector<bool> only_read;
  for (const char* const end : {")", ","}) {  // KERNEL(name) or BOUNDED_KERNEL(name, ...)
    const std::string start = StrCat("KERNEL(", kernel, end);
    const size_t at = source.find(start);
    if (at == kNotFound) continue;
    const std::string_view rest = source.substr(source.find(")(", at) + 2);
    AddParameters(source, InParentheses(rest), &only_read);
    break;
  }
  return only_read;
}

}  // namespace ramet::gpu
