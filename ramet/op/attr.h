#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

class AttrMap;

// A FunctionRef names a library function and the attrs that instantiate it (NameAttrList).
struct RAMET_EXPORT FunctionRef {
  std::string name;
  std::shared_ptr<const AttrMap> attrs;
  bool operator==(const FunctionRef& other) const;
};

// An attr value that Ramet does not model, such as a placeholder in a function body or an unknown
// field. Holds the bytes of the AttrValue message for export.
struct OpaqueAttr {
  std::string bytes;
  bool operator==(const OpaqueAttr&) const = default;
};

// An Attr is the value of one attribute of a node, as AttrValue in TensorFlow
// (tensorflow/core/framework/attr_value.proto). A value type.
class RAMET_EXPORT Attr {
 public:
  using Value = std::variant<std::monostate, std::string, int64_t, float, bool, DType, Shape,
                             std::shared_ptr<const Tensor>, std::shared_ptr<const FunctionRef>,
                             std::vector<std::string>, std::vector<int64_t>, std::vector<float>,
                             std::vector<bool>, std::vector<DType>, std::vector<Shape>,
                             std::vector<Tensor>, std::vector<FunctionRef>, OpaqueAttr>;

  Attr() = default;
  Attr(const char* s) : value_(std::string(s)) {}       // NOLINT: implicit on purpose
  Attr(std::string_view s) : value_(std::string(s)) {}  // NOLINT
  Attr(std::string s) : value_(std::move(s)) {}         // NOLINT
  Attr(int i) : value_(static_cast<int64_t>(i)) {}      // NOLINT
  Attr(int64_t i) : value_(i) {}                        // NOLINT
  Attr(float f) : value_(f) {}                          // NOLINT
  Attr(bool b) : value_(b) {}                           // NOLINT
  Attr(DType t) : value_(t) {}                          // NOLINT
  Attr(Shape s) : value_(std::move(s)) {}               // NOLINT
  Attr(Tensor t) : value_(std::make_shared<const Tensor>(std::move(t))) {}            // NOLINT
  Attr(FunctionRef f) : value_(std::make_shared<const FunctionRef>(std::move(f))) {}  // NOLINT
  Attr(std::vector<std::string> v) : value_(std::move(v)) {}                          // NOLINT
  Attr(std::vector<int64_t> v) : value_(std::move(v)) {}                              // NOLINT
  Attr(std::vector<float> v) : value_(std::move(v)) {}                                // NOLINT
  Attr(std::vector<bool> v) : value_(std::move(v)) {}                                 // NOLINT
  Attr(std::vector<DType> v) : value_(std::move(v)) {}                                // NOLINT
  Attr(std::vector<Shape> v) : value_(std::move(v)) {}                                // NOLINT
  Attr(std::vector<Tensor> v) : value_(std::move(v)) {}                               // NOLINT
  Attr(std::vector<FunctionRef> v) : value_(std::move(v)) {}                          // NOLINT
  Attr(OpaqueAttr o) : value_(std::move(o)) {}                                        // NOLINT

  const Value& value() const { return value_; }
  // Returns the value as T (an alternative of Value, or Tensor), or nullptr if it is of another
  // kind. An empty list counts as an empty list of every kind.
  template <class T>
  const T* get() const {
    if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, FunctionRef>) {
      auto* p = std::get_if<std::shared_ptr<const T>>(&value_);
      return p ? p->get() : nullptr;
    } else {
      if (auto* p = std::get_if<T>(&value_)) return p;
      if constexpr (requires(T v) { v.push_back(v[0]); } && !std::is_same_v<T, std::string>) {
        static const T* const empty = new T;
        if (IsEmptyList()) return empty;
      }
      return nullptr;
    }
  }
  bool IsEmptyList() const;
  // Compares tensors by bits.
  bool operator==(const Attr& other) const;
  // Returns short text as in GraphDef's text format: "float", "[2,3]", "\"SAME\"", "true".
  std::string ToString() const;
  // Returns the kind as an op definition names it: "int", "list(type)".
  std::string_view KindName() const;

 private:
  Value value_;
};

// An AttrMap is a set of named attrs, sorted by name. Nodes share immutable AttrMaps.
class RAMET_EXPORT AttrMap {
 public:
  using Entry = std::pair<std::string, Attr>;
  AttrMap() = default;
  AttrMap(std::initializer_list<Entry> entries);

  const Attr* Find(std::string_view name) const;
  void Set(std::string_view name, Attr value);
  bool Erase(std::string_view name);
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool operator==(const AttrMap& other) const;

  // Returns the attr as T.
  // \error kInvalidArgument: the attr is missing or of another kind. The message names it.
  template <class T>
  StatusOr<T> Get(std::string_view name) const {
    const Attr* attr = Find(name);
    if (attr == nullptr) return InvalidArgument("attr '", name, "' is missing");
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, int32_t>) {
      if (const int64_t* v = attr->get<int64_t>()) return static_cast<T>(*v);
    } else {
      if (const T* v = attr->template get<T>()) return *v;
    }
    return InvalidArgument("attr '", name, "' is ", attr->KindName(), " ", attr->ToString(),
                           ", but a different kind was expected");
  }
  template <class T>
  T GetOr(std::string_view name, T otherwise) const {
    const Attr* attr = Find(name);
    const T* v = attr ? attr->template get<T>() : nullptr;
    return v ? *v : otherwise;
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace ramet
