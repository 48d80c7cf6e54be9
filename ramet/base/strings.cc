#include "ramet/base/strings.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <ostream>

namespace ramet {

namespace strings_internal {
namespace {
template <class T>
void AppendNumber(std::string& out, T v) {
  char buf[40];
  auto result = std::to_chars(buf, buf + sizeof(buf), v);
  out.append(buf, result.ptr);
}
}  // namespace

void Append(std::string& out, std::string_view s) { out.append(s); }
void Append(std::string& out, int64_t v) { AppendNumber(out, v); }
void Append(std::string& out, uint64_t v) { AppendNumber(out, v); }
void Append(std::string& out, double v) { AppendNumber(out, v); }
void Append(std::string& out, float v) { AppendNumber(out, v); }
std::ostream& Print(std::ostream& out, const std::string& text) { return out << text; }
}  // namespace strings_internal

std::vector<std::string_view> StrSplit(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (size_t begin = 0;;) {
    size_t end = text.find(separator, begin);
    pieces.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return pieces;
    begin = end + 1;
  }
}

bool ParseInt64(std::string_view text, int64_t* value) {
  const char* end = text.data() + text.size();
  auto result = std::from_chars(text.data(), end, *value);
  return result.ec == std::errc() && result.ptr == end;
}

int EditDistance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      int substitute = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

std::string NearestName(std::string_view word, const std::vector<std::string_view>& candidates) {
  int best = static_cast<int>(std::max<size_t>(2, word.size() / 3)) + 1;
  std::string_view nearest;
  for (std::string_view candidate : candidates) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    if (static_cast<int>(longer - shorter) >= best) continue;
    int distance = EditDistance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return std::string(nearest);
}

}  // namespace ramet
