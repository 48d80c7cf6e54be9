#include "ramet/ops/lookup/table.h"

#include <unordered_map>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/op/resource_handle.h"
#include "ramet/ops/array/move.h"

namespace ramet {
namespace {

// The entries of a table. Slot i has the key keys[i] and the value in element i of `values`.
template <class K>
struct Entries {
  std::unordered_map<K, int64_t> slots;
  std::vector<K> keys;
  Tensor values;

  // Returns the slot of a key; a new one at the end if it has none.
  StatusOr<int64_t> SlotFor(const K& key, DType value_dtype) {
    const auto [at, fresh] = slots.try_emplace(key, std::ssize(keys));
    if (!fresh) return at->second;
    const int64_t capacity = values.empty() ? 0 : values.num_elements();
    if (at->second == capacity) {
      auto larger = Tensor::Allocate(value_dtype, Shape{capacity == 0 ? 8 : 2 * capacity});
      if (!larger.ok()) {
        slots.erase(at);
        return larger.status();
      }
      if (capacity > 0) CopyElements(values, 0, *larger, 0, capacity);
      values = *std::move(larger);
    }
    keys.push_back(key);
    return at->second;
  }

  void Remove(const K& key) {
    const auto at = slots.find(key);
    if (at == slots.end()) return;
    const int64_t slot = at->second, last = std::ssize(keys) - 1;
    slots.erase(at);
    if (slot != last) {
      CopyElements(values, last, values, slot, 1);
      keys[slot] = std::move(keys[last]);
      slots[keys[slot]] = slot;
    }
    keys.pop_back();
  }
};

Tensor Element(const Tensor& t, int64_t i) {
  Tensor one(t.dtype(), Shape());
  CopyElements(t, i, one, 0, 1);
  return one;
}

// Returns an element as TensorFlow's messages show it.
std::string ElementText(const Tensor& t, int64_t i) {
  const Tensor one = Element(t, i);
  if (t.dtype() == kString) return one.scalar<std::string>();
  const std::string text = one.ToString();
  return text.substr(text.find(' ') + 1);
}

template <class K>
class TypedTable final : public LookupTable {
 public:
  using LookupTable::LookupTable;

  Status Find(const Tensor& keys, const Tensor& defaults, Tensor& values) const override {
    if (kind() == Kind::kFilledOnce && !initialized()) {
      return FailedPrecondition("Table not initialized.");
    }
    const bool one_default = defaults.num_elements() == 1 || kind() == Kind::kFilledOnce;
    ReaderLock lock(mutex_);
    for (int64_t i = 0; i < keys.num_elements(); ++i) {
      const auto at = entries_.slots.find(keys.data<K>()[i]);
      if (at != entries_.slots.end()) {
        CopyElements(entries_.values, at->second, values, i, 1);
      } else {
        CopyElements(defaults, one_default ? 0 : i, values, i, 1);
      }
    }
    return OkStatus();
  }

  int64_t size() const override {
    ReaderLock lock(mutex_);
    return std::ssize(entries_.keys);
  }

  Status Initialize(const Tensor& keys, const Tensor& values) override {
    WriterLock lock(mutex_);
    if (initialized_) return OkStatus();
    Entries<K> fresh;
    for (int64_t i = 0; i < keys.num_elements(); ++i) {
      const int64_t known = std::ssize(fresh.keys);
      RAMET_ASSIGN_OR_RETURN(int64_t slot, fresh.SlotFor(keys.data<K>()[i], value_dtype()));
      if (slot == known) {
        CopyElements(values, i, fresh.values, slot, 1);
      } else if (!Element(fresh.values, slot).BitwiseEquals(Element(values, i))) {
        return FailedPrecondition("HashTable has different value for same key. Key ",
                                  ElementText(keys, i), " has ", ElementText(fresh.values, slot),
                                  " and trying to add value ", ElementText(values, i));
      }
    }
    entries_ = std::move(fresh);
    initialized_ = true;
    return OkStatus();
  }

  Status Insert(const Tensor& keys, const Tensor& values, bool clear) override {
    WriterLock lock(mutex_);
    if (clear) entries_ = Entries<K>();
    for (int64_t i = 0; i < keys.num_elements(); ++i) {
      RAMET_ASSIGN_OR_RETURN(int64_t slot, entries_.SlotFor(keys.data<K>()[i], value_dtype()));
      CopyElements(values, i, entries_.values, slot, 1);
    }
    return OkStatus();
  }

  Status Remove(const Tensor& keys) override {
    WriterLock lock(mutex_);
    for (const K& key : keys.flat<K>()) entries_.Remove(key);
    return OkStatus();
  }

  Status Export(Tensor& keys, Tensor& values, Allocator* allocator) const override {
    if (kind() == Kind::kFilledOnce && !initialized()) {
      return Aborted("HashTable is not initialized.");
    }
    ReaderLock lock(mutex_);
    const Shape shape{std::ssize(entries_.keys)};
    RAMET_ASSIGN_OR_RETURN(keys, Tensor::Allocate(key_dtype(), shape, allocator));
    RAMET_ASSIGN_OR_RETURN(values, Tensor::Allocate(value_dtype(), shape, allocator));
    std::ranges::copy(entries_.keys, keys.mutable_data<K>());
    if (shape.dim(0) > 0) CopyElements(entries_.values, 0, values, 0, shape.dim(0));
    return OkStatus();
  }

 private:
  mutable SharedMutex mutex_;
  Entries<K> entries_ RAMET_GUARDED_BY(mutex_);
};

Status NoTable(std::string_view found) {
  return InvalidArgument("input 0 must be the handle of a table, but it is ", found);
}

StatusOr<std::shared_ptr<LookupTable>> FindByName(KernelContext& c, const Tensor& handle) {
  if (handle.dtype() != kString || handle.num_elements() != 2) {
    return InvalidArgument("Lookup table handle must be scalar, but had shape: ", handle.shape());
  }
  const auto parts = handle.flat<std::string>();
  auto found = c.env().resources->Find(TableContainer(parts[0]), parts[1]);
  if (auto table = std::dynamic_pointer_cast<LookupTable>(found)) return table;
  return NotFound("Resource ", parts[0], "/", parts[1],
                  "/N10tensorflow6lookup15LookupInterfaceE does not exist.");
}

std::string TypeNames(std::initializer_list<DType> types) {
  std::vector<std::string> names;
  for (DType t : types) {
    if (t != DType::kInvalid) names.emplace_back(DTypeName(t));
  }
  return StrJoin(names, ", ");
}

}  // namespace

std::shared_ptr<LookupTable> LookupTable::Make(Kind kind, std::string name, DType key,
                                               DType value) {
  if (key == kInt32) return std::make_shared<TypedTable<int32_t>>(kind, name, key, value);
  if (key == kInt64) return std::make_shared<TypedTable<int64_t>>(kind, name, key, value);
  return std::make_shared<TypedTable<std::string>>(kind, name, key, value);
}

std::string TableContainer(std::string_view container) {
  return StrCat(container.empty() ? "localhost" : container, " tables");
}

StatusOr<std::shared_ptr<LookupTable>> InputTable(KernelContext& c) {
  if (const VariableState* variable = c.variable(0)) {
    const Tensor handle = variable->Read();
    if (handle.dtype() == kString) return FindByName(c, handle);
    return NoTable(StrCat("the variable '", variable->name(), "'"));
  }
  if (c.input(0).dtype() == kString) return FindByName(c, c.input(0));
  auto resource = CarriedResource(c.input(0));
  if (auto table = std::dynamic_pointer_cast<LookupTable>(resource)) return table;
  return NoTable(resource ? resource->type_name() : "not a handle");
}

Status CheckTableTypes(KernelContext& c, const LookupTable& table, DType output) {
  const bool by_name = c.variable(0) != nullptr || c.input(0).dtype() == kString;
  const std::string_view handle = by_name ? "string_ref" : "resource";
  const DType key = c.num_inputs() > 1 ? c.input(1).dtype() : DType::kInvalid;
  const DType value = c.num_inputs() > 2 ? c.input(2).dtype() : DType::kInvalid;
  const bool same = (key == DType::kInvalid || key == table.key_dtype()) &&
                    (value == DType::kInvalid || value == table.value_dtype());
  if (same) return OkStatus();
  const DType wanted_value = value == DType::kInvalid ? value : table.value_dtype();
  return InvalidArgument("Signature mismatch, have: ", handle, ", ", TypeNames({key, value}), "->",
                         TypeNames({output}), " expected: ", handle, ", ",
                         TypeNames({table.key_dtype(), wanted_value}), "->",
                         TypeNames({output == DType::kInvalid ? output : table.value_dtype()}));
}

}  // namespace ramet
