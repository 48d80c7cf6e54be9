#include "case.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "json.h"
#include "ramet/base/strings.h"
#include "ramet/tensor/quantized.h"

namespace ramet::conformance {
namespace {

template <class Fn>
void ForType(DType t, Fn&& fn) {
  switch (t) {
    case kFloat: return fn(float{});
    case kDouble: return fn(double{});
    case kHalf: return fn(Half{});
    case kBFloat16: return fn(BFloat16{});
    case kInt8: return fn(int8_t{});
    case kInt16: return fn(int16_t{});
    case kInt32: return fn(int32_t{});
    case kInt64: return fn(int64_t{});
    case kUInt8: return fn(uint8_t{});
    case kUInt16: return fn(uint16_t{});
    case kUInt32: return fn(uint32_t{});
    case kUInt64: return fn(uint64_t{});
    case kComplex64: return fn(std::complex<float>{});
    case kComplex128: return fn(std::complex<double>{});
    case kBool: return fn(bool{});
    case DType::kQInt8: return fn(QInt8{});
    case DType::kQUInt8: return fn(QUInt8{});
    case DType::kQInt16: return fn(QInt16{});
    case DType::kQUInt16: return fn(QUInt16{});
    case DType::kQInt32: return fn(QInt32{});
    default: return;
  }
}

template <class T>
constexpr bool kShort = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T>
constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
concept IsQuantized = requires(T v) {
  v.value;
};

template <class T>
T ParseNumber(std::istream& in) {
  std::string word;
  in >> word;
  if constexpr (kIsComplex<T>) {
    const auto real = static_cast<typename T::value_type>(std::strtod(word.c_str(), nullptr));
    in >> word;
    return {real, static_cast<typename T::value_type>(std::strtod(word.c_str(), nullptr))};
  } else if constexpr (IsQuantized<T>) {
    return {static_cast<decltype(T::value)>(std::strtoll(word.c_str(), nullptr, 10))};
  } else if constexpr (kShort<T>) {
    return T(std::strtof(word.c_str(), nullptr));
  } else if constexpr (std::is_same_v<T, float>) {
    return std::strtof(word.c_str(), nullptr);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::strtod(word.c_str(), nullptr);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(std::strtoll(word.c_str(), nullptr, 10));
  } else {
    return static_cast<T>(std::strtoull(word.c_str(), nullptr, 10));
  }
}

std::string Unescape(const std::string& word) {
  std::string s;
  for (size_t i = 1; i < word.size(); ++i) {
    if (word[i] == '%') {
      s += static_cast<char>(std::strtol(word.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else {
      s += word[i];
    }
  }
  return s;
}

StatusOr<Attr> ParseAttr(const Json& j);

template <class T>
StatusOr<Attr> ParseListOf(const Json& j) {
  std::vector<T> list;
  for (const Json& item : j.items) {
    RAMET_ASSIGN_OR_RETURN(Attr attr, ParseAttr(item));
    const T* value = attr.get<T>();
    if (value == nullptr) return InvalidArgument("a list of attr values of different kinds");
    list.push_back(*value);
  }
  return Attr(std::move(list));
}

StatusOr<Attr> ParseList(const Json& j) {
  if (j.items.empty()) return Attr(std::vector<int64_t>());
  RAMET_ASSIGN_OR_RETURN(Attr first, ParseAttr(j.items[0]));
  if (first.get<int64_t>()) return ParseListOf<int64_t>(j);
  if (first.get<float>()) return ParseListOf<float>(j);
  if (first.get<bool>()) return ParseListOf<bool>(j);
  if (first.get<DType>()) return ParseListOf<DType>(j);
  if (first.get<Shape>()) return ParseListOf<Shape>(j);
  return ParseListOf<std::string>(j);
}

StatusOr<Attr> ParseObject(const Json& j) {
  if (const Json* type = j.Find("type")) {
    RAMET_ASSIGN_OR_RETURN(DType t, ParseDType(type->text));
    return Attr(t);
  }
  if (const Json* tensor = j.Find("tensor")) {
    RAMET_ASSIGN_OR_RETURN(Tensor value, ParseTensor(tensor->text));
    return Attr(std::move(value));
  }
  if (const Json* number = j.Find("float")) return Attr(std::strtof(number->text.c_str(), nullptr));
  const Json* shape = j.Find("shape");
  if (shape == nullptr) return InvalidArgument("an attr object of unknown kind");
  if (shape->kind == Json::Kind::kNull) return Attr(Shape::Unknown());
  std::vector<int64_t> dims;
  for (const Json& d : shape->items) dims.push_back(std::atoll(d.text.c_str()));
  return Attr(Shape(dims));
}

StatusOr<Attr> ParseAttr(const Json& j) {
  switch (j.kind) {
    case Json::Kind::kBool: return Attr(j.boolean);
    case Json::Kind::kNumber: return Attr(static_cast<int64_t>(std::atoll(j.text.c_str())));
    case Json::Kind::kString: return Attr(j.text);
    case Json::Kind::kArray: return ParseList(j);
    default: return ParseObject(j);
  }
}

Status ParseTensors(const Json* list, std::vector<Tensor>* tensors) {
  if (list == nullptr) return OkStatus();
  for (const Json& item : list->items) {
    tensors->emplace_back();
    if (item.kind == Json::Kind::kNull) continue;
    RAMET_ASSIGN_OR_RETURN(tensors->back(), ParseTensor(item.text));
  }
  return OkStatus();
}

std::optional<double> OptionalNumber(const Json* j) {
  if (j == nullptr) return std::nullopt;
  return std::strtod(j->text.c_str(), nullptr);
}

StatusOr<Case> ParseCase(const std::string& line) {
  RAMET_ASSIGN_OR_RETURN(Json j, Json::Parse(line));
  Case c;
  const Json* op = j.Find("op");
  const Json* in = j.Find("in");
  if (op == nullptr || in == nullptr) return InvalidArgument("a case must have 'op' and 'in'");
  c.op = op->text;
  for (const Json& item : in->items) {
    const Json* ref = item.Find("ref");
    RAMET_ASSIGN_OR_RETURN(Tensor value, ParseTensor(ref ? ref->text : item.text));
    c.inputs.push_back({std::move(value), ref != nullptr});
  }
  if (const Json* attrs = j.Find("attrs")) {
    RAMET_ASSIGN_OR_RETURN(c.attrs, ParseAttrs(*attrs));
  }
  if (const Json* error = j.Find("error")) c.error = error->text;
  RAMET_RETURN_IF_ERROR(ParseTensors(j.Find("out"), &c.outputs));
  RAMET_RETURN_IF_ERROR(ParseTensors(j.Find("refs"), &c.refs));
  RAMET_RETURN_IF_ERROR(ParseTensors(j.Find("grad_ys"), &c.grad_ys));
  RAMET_RETURN_IF_ERROR(ParseTensors(j.Find("grads"), &c.gradients));
  c.has_gradients = j.Find("grads") != nullptr;
  c.static_only = j.Find("static_only") != nullptr;
  c.tol = OptionalNumber(j.Find("tol"));
  c.atol = OptionalNumber(j.Find("atol"));
  c.grad_tol = OptionalNumber(j.Find("grad_tol"));
  return c;
}

void LoadFile(const std::filesystem::path& path, std::vector<Case>* cases) {
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    auto c = ParseCase(line);
    if (!c.ok()) throw BadStatusAccess(c.status().WithContext(StrCat(path.string(), ":", number)));
    c->family = path.stem().string();
    c->line = number;
    cases->push_back(*std::move(c));
  }
}

double UsualTolerance(DType t) {
  switch (t) {
    case kDouble:
    case kComplex128: return 1e-12;
    case kHalf: return 2e-3;
    case kBFloat16: return 1.6e-2;
    default: return 1e-5;
  }
}

bool Close(double found, double expected, double tol, double atol) {
  if (std::isnan(expected)) return std::isnan(found);
  if (found == expected) return true;
  return std::abs(found - expected) <= tol * std::abs(expected) + atol;
}

}  // namespace

StatusOr<AttrMap> ParseAttrs(const Json& object) {
  AttrMap attrs;
  for (size_t i = 0; i < object.names.size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(Attr value, ParseAttr(object.items[i]));
    attrs.Set(object.names[i], std::move(value));
  }
  return attrs;
}

StatusOr<Tensor> ParseTensor(const std::string& text) {
  const size_t open = text.find('['), close = text.find(']');
  if (open == std::string::npos || close == std::string::npos) {
    return InvalidArgument("'", text.substr(0, 40), "' is not a tensor");
  }
  RAMET_ASSIGN_OR_RETURN(DType dtype, ParseDType(text.substr(0, open)));
  Shape shape;
  std::istringstream dims(text.substr(open + 1, close - open - 1));
  for (std::string dim; std::getline(dims, dim, ',');) shape.Append(std::atoll(dim.c_str()));
  Tensor t(dtype, shape);
  std::istringstream values(text.substr(close + 1));
  if (dtype == kString) {
    for (std::string& s : t.mutable_flat<std::string>()) {
      std::string word;
      values >> word;
      s = Unescape(word);
    }
  }
  ForType(dtype, [&]<class T>(T) {
    for (T& v : t.mutable_flat<T>()) v = ParseNumber<T>(values);
  });
  if (values.fail()) return InvalidArgument("'", text.substr(0, 40), "' has too few values");
  return t;
}

std::vector<Case> LoadCases(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Case> cases;
  for (const auto& file : files) LoadFile(file, &cases);
  return cases;
}

std::vector<double> Numbers(const Tensor& t) {
  std::vector<double> numbers;
  ForType(t.dtype(), [&]<class T>(T) {
    for (const T& v : t.flat<T>()) {
      if constexpr (kIsComplex<T>) {
        numbers.push_back(v.real());
        numbers.push_back(v.imag());
      } else if constexpr (kShort<T>) {
        numbers.push_back(static_cast<float>(v));
      } else if constexpr (IsQuantized<T>) {
        numbers.push_back(v.value);
      } else {
        numbers.push_back(static_cast<double>(v));
      }
    }
  });
  return numbers;
}

Tensor FromNumbers(DType dtype, const Shape& shape, const std::vector<double>& numbers) {
  Tensor t(dtype, shape);
  ForType(dtype, [&]<class T>(T) {
    size_t next = 0;
    for (T& v : t.mutable_flat<T>()) {
      const double number = numbers[next++];
      if constexpr (kIsComplex<T>) {
        using Part = typename T::value_type;
        v = {static_cast<Part>(number), static_cast<Part>(numbers[next++])};
      } else if constexpr (kShort<T>) {
        v = T(static_cast<float>(number));
      } else if constexpr (IsQuantized<T>) {
        v = {static_cast<decltype(T::value)>(number)};
      } else {
        v = static_cast<T>(number);
      }
    }
  });
  return t;
}

Status Compare(const Tensor& found, const Tensor& expected, double tol, double atol,
               double factor) {
  const auto differ = [&](const std::string& where) {
    return DataLoss(where, "found ", found.ToString(64), ", expected ", expected.ToString(64));
  };
  if (found.dtype() != expected.dtype() || found.shape() != expected.shape()) return differ("");
  if (!IsFloating(found.dtype()) && !IsComplex(found.dtype())) {
    return found.BitwiseEquals(expected) ? OkStatus() : differ("");
  }
  const double usual = UsualTolerance(expected.dtype()) * factor;
  const std::vector<double> a = Numbers(found), b = Numbers(expected);
  for (size_t i = 0; i < a.size(); ++i) {
    if (Close(a[i], b[i], tol < 0 ? usual : tol, atol < 0 ? (tol < 0 ? usual : tol) : atol))
      continue;
    return differ(StrCat("number ", i, ": ", a[i], ", not ", b[i], ": "));
  }
  return OkStatus();
}

}  // namespace ramet::conformance
