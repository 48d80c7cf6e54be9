#include "ramet/ops/logging/tensor_text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "ramet/base/strings.h"
#include "ramet/ops/array/args.h"

namespace ramet {
namespace {

// Formats a number with as many digits as TensorFlow does: few digits if they identify it.
std::string NumberText(double x, bool single) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", single ? 6 : 15, x);
  const bool enough = single ? std::strtof(text, nullptr) == static_cast<float>(x)
                             : std::strtod(text, nullptr) == x;
  if (!enough) std::snprintf(text, sizeof text, "%.*g", single ? 9 : 17, x);
  return text;
}

// Escapes quotes, backslashes and unprintable bytes as in C; other UTF-8 bytes stay.
std::string Escaped(std::string_view s) {
  std::string text;
  for (const char c : s) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\r') {
      text += "\\r";
    } else if (c == '\t') {
      text += "\\t";
    } else if (c == '"' || c == '\'' || c == '\\') {
      text += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7F) {
      text += '\\';
      for (int shift = 6; shift >= 0; shift -= 3)
        text += static_cast<char>('0' + (byte >> shift & 7));
    } else {
      text += c;
    }
  }
  return text;
}

std::string ElementText(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kString: return Escaped(t.data<std::string>()[i]);
    case DType::kBool: return t.data<bool>()[i] ? "1" : "0";
    case DType::kFloat: return NumberText(t.data<float>()[i], true);
    case DType::kDouble: return NumberText(t.data<double>()[i], false);
    case DType::kHalf: return NumberText(static_cast<float>(t.data<Half>()[i]), true);
    case DType::kBFloat16: return NumberText(static_cast<float>(t.data<BFloat16>()[i]), true);
    case DType::kUInt64: return StrCat(t.data<uint64_t>()[i]);
    default: break;
  }
  return StrCat(IntegerAt(t, i));
}

bool HasText(DType t) {
  return t == DType::kString || t == DType::kBool || IsFloating(t) || IsInteger(t);
}

// Returns question marks for a tensor whose elements have no text.
std::string Unknown(const Tensor& t, int64_t limit) {
  const int64_t n = t.num_elements();
  const int64_t shown = limit < 0 ? n : std::min(limit, n);
  std::string text;
  for (int64_t i = 0; i < shown; ++i) text += i > 0 ? " ?" : "?";
  return shown < n ? text + "..." : text;
}

class Head {
 public:
  Head(const Tensor& t, int64_t limit) : t_(t), limit_(limit) {
    const int64_t n = t.num_elements();
    if (limit_ < 0 || limit_ > n) limit_ = n;
    if (t.rank() == 0) {
      text_ = n > 0 && limit_ > 0 ? ElementText(t, 0) : "";
    } else {
      Append(0);
    }
    if (n > limit_) text_ += "...";
  }

  std::string Take() { return std::move(text_); }

 private:
  void Append(int dim) {
    if (next_ >= limit_) return;
    const bool last = dim == t_.rank() - 1;
    for (int64_t i = 0; i < t_.dim(dim) && next_ < limit_; ++i) {
      if (last) {
        if (i > 0) text_ += ' ';
        text_ += ElementText(t_, next_++);
        continue;
      }
      text_ += '[';
      Append(dim + 1);
      text_ += ']';
    }
    const bool cut = last && dim > 0 && next_ % std::max<int64_t>(t_.dim(dim), 1) != 0;
    if (cut) text_ += "...";
  }

  const Tensor& t_;
  int64_t limit_;
  int64_t next_ = 0;
  std::string text_;
};

class Edges {
 public:
  Edges(const Tensor& t, int64_t edge) : t_(t), edge_(edge) {
    const int64_t n = t.num_elements();
    if (edge_ < 0 || edge_ > n) edge_ = n;
    if (edge_ == 0 && t.rank() == 0) {
      text_ = "...";
      return;
    }
    Append(0, 0);
  }

  std::string Take() { return std::move(text_); }

 private:
  // Appends the part of dimension `dim` that begins with element `first`.
  void Append(int dim, int64_t first) {
    if (dim == t_.rank()) return AppendElement(first);
    const int64_t n = t_.dim(dim);
    const int64_t step = Product(t_.shape(), dim + 1, t_.rank());
    text_ += '[';
    for (int64_t i = 0; i < std::min(edge_, n); ++i) {
      if (i > 0) AppendSpace(dim);
      Append(dim + 1, first + i * step);
    }
    if (n > 2 * edge_) {
      AppendSpace(dim);
      text_ += "...";
    }
    for (int64_t i = std::max(edge_, n - edge_); i < n; ++i) {
      AppendSpace(dim);
      Append(dim + 1, first + i * step);
    }
    text_ += ']';
  }

  void AppendElement(int64_t i) {
    const bool quoted = t_.dtype() == DType::kString;
    text_ += quoted ? StrCat("\"", ElementText(t_, i), "\"") : ElementText(t_, i);
  }

  void AppendSpace(int dim) {
    const int below = t_.rank() - dim - 1;
    text_.append(below, '\n');
    text_.append(below == 0 ? 1 : dim + 1, ' ');
  }

  const Tensor& t_;
  int64_t edge_;
  std::string text_;
};

}  // namespace

std::string HeadText(const Tensor& t, int64_t limit) {
  return HasText(t.dtype()) ? Head(t, limit).Take() : Unknown(t, limit);
}

std::string EdgesText(const Tensor& t, int64_t edge) {
  if (HasText(t.dtype())) return Edges(t, edge).Take();
  return t.rank() == 0 ? Unknown(t, edge) : StrCat("[", Unknown(t, edge), "]");
}

}  // namespace ramet
