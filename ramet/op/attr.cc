#include "ramet/op/attr.h"

#include <algorithm>

namespace ramet {
namespace {

std::string Quote(const std::string& s) {
  std::string text = "\"";
  for (const char c : s) text += c == '\n' ? std::string("\\n") : std::string(1, c);
  return text + "\"";
}

std::string Print(std::monostate) { return "nothing"; }
std::string Print(const std::string& s) { return Quote(s); }
std::string Print(int64_t v) { return StrCat(v); }
std::string Print(float v) { return StrCat(v); }
std::string Print(bool v) { return StrCat(v); }
std::string Print(DType t) { return DTypeName(t); }
std::string Print(const Shape& s) { return s.ToString(); }
std::string Print(const Tensor& t) { return t.ToString(4); }
std::string Print(const std::shared_ptr<const Tensor>& t) { return Print(*t); }
std::string Print(const FunctionRef& f) { return f.name; }
std::string Print(const std::shared_ptr<const FunctionRef>& f) { return f->name; }
std::string Print(const OpaqueAttr&) { return "(opaque)"; }

template <class T>
std::string Print(const std::vector<T>& list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i) {
    const T& element = list[i];
    text += StrCat(i ? ", " : "", Print(element));
  }
  return text + "]";
}

constexpr std::string_view kKindNames[] = {
    "nothing",    "string",     "int",         "float",        "bool",       "type",
    "shape",      "tensor",     "func",        "list(string)", "list(int)",  "list(float)",
    "list(bool)", "list(type)", "list(shape)", "list(tensor)", "list(func)", "opaque"};

template <class T>
bool Same(const T& a, const T& b) {
  return a == b;
}
bool Same(const std::shared_ptr<const Tensor>& a, const std::shared_ptr<const Tensor>& b) {
  return a == b || a->BitwiseEquals(*b);
}
bool Same(const std::shared_ptr<const FunctionRef>& a,
          const std::shared_ptr<const FunctionRef>& b) {
  return *a == *b;
}
bool Same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, [](auto& x, auto& y) { return x.BitwiseEquals(y); });
}

}  // namespace

bool FunctionRef::operator==(const FunctionRef& other) const {
  static const AttrMap* const none = new AttrMap;
  const AttrMap& mine = attrs ? *attrs : *none;
  return name == other.name && mine == (other.attrs ? *other.attrs : *none);
}

bool Attr::IsEmptyList() const {
  return std::visit(
      [](const auto& v) {
        using V = std::decay_t<decltype(v)>;
        if constexpr (requires { v.empty(); } && !std::is_same_v<V, std::string>) return v.empty();
        return false;
      },
      value_);
}

bool Attr::operator==(const Attr& other) const {
  if (value_.index() != other.value_.index()) return IsEmptyList() && other.IsEmptyList();
  return std::visit(
      [&](const auto& v) { return Same(v, std::get<std::decay_t<decltype(v)>>(other.value_)); },
      value_);
}

std::string Attr::ToString() const {
  return std::visit([](const auto& v) { return Print(v); }, value_);
}

std::string_view Attr::KindName() const { return kKindNames[value_.index()]; }

AttrMap::AttrMap(std::initializer_list<Entry> entries) {
  for (const Entry& e : entries) Set(e.first, e.second);
}

const Attr* AttrMap::Find(std::string_view name) const {
  auto it = std::ranges::lower_bound(entries_, name, {}, &Entry::first);
  return it != entries_.end() && it->first == name ? &it->second : nullptr;
}

void AttrMap::Set(std::string_view name, Attr value) {
  auto it = std::ranges::lower_bound(entries_, name, {}, &Entry::first);
  if (it != entries_.end() && it->first == name) {
    it->second = std::move(value);
  } else {
    entries_.emplace(it, std::string(name), std::move(value));
  }
}

bool AttrMap::Erase(std::string_view name) {
  auto it = std::ranges::lower_bound(entries_, name, {}, &Entry::first);
  if (it == entries_.end() || it->first != name) return false;
  entries_.erase(it);
  return true;
}

bool AttrMap::operator==(const AttrMap& other) const { return entries_ == other.entries_; }

}  // namespace ramet
