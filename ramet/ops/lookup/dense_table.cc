#include "ramet/ops/lookup/dense_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "ramet/base/hash.h"
#include "ramet/base/mutex.h"
#include "ramet/ops/array/move.h"

// Tables with open addressing. Their buckets are at TensorFlow's positions, because an exported
// table, and so a checkpoint, has the buckets as they are.

namespace ramet {
namespace {

uint64_t HashOf(const std::string& key) { return Hash64(key); }
uint64_t HashOf(int64_t key) { return static_cast<uint64_t>(key); }

Status CheckNumBuckets(int64_t n) {
  if (n >= 4 && std::has_single_bit(static_cast<uint64_t>(n))) return OkStatus();
  return InvalidArgument("Number of buckets must be at least 4 and a power of 2, got: ", n);
}

template <class K>
class DenseTable final : public LookupTable {
 public:
  DenseTable(std::string name, const Tensor& empty_key, const Tensor& deleted_key,
             const DenseTableOptions& options)
      : LookupTable(Kind::kDense, std::move(name), empty_key.dtype(), options.value,
                    empty_key.shape(), options.value_shape),
        max_load_factor_(options.max_load_factor),
        empty_(empty_key),
        deleted_(deleted_key) {}

  // Gives the table buckets without entries.
  Status Start(int64_t num_buckets) {
    WriterLock lock(mutex_);
    return Allocate(num_buckets);
  }

  Status Find(const Tensor& keys, const Tensor& defaults, Tensor& values) const override {
    const int64_t width = value_width();
    RAMET_ASSIGN_OR_RETURN(const int64_t n, KeyCount(keys));
    ReaderLock lock(mutex_);
    for (int64_t i = 0; i < n; ++i) {
      const K* key = KeyAt(keys, i);
      RAMET_RETURN_IF_ERROR(CheckKey(key));
      RAMET_ASSIGN_OR_RETURN(const Place place, Locate(key, "lookup"));
      if (place.found) {
        CopyElements(values_, place.bucket * width, values, i * width, width);
      } else {
        CopyElements(defaults, 0, values, i * width, width);
      }
    }
    return OkStatus();
  }

  int64_t size() const override {
    ReaderLock lock(mutex_);
    return size_;
  }

  Status Initialize(const Tensor&, const Tensor&) override {
    return Unimplemented("a mutable table needs no initialization: insert keys instead");
  }

  Status Insert(const Tensor& keys, const Tensor& values, bool clear) override {
    WriterLock lock(mutex_);
    if (clear) return TakeBuckets(keys, values);
    RAMET_ASSIGN_OR_RETURN(const int64_t n, KeyCount(keys));
    RAMET_RETURN_IF_ERROR(Grow(size_ + n));
    for (int64_t i = 0; i < n; ++i) {
      RAMET_RETURN_IF_ERROR(CheckKey(KeyAt(keys, i)));
      RAMET_RETURN_IF_ERROR(InsertOne(keys, values, i));
    }
    return OkStatus();
  }

  Status Remove(const Tensor& keys) override {
    WriterLock lock(mutex_);
    RAMET_ASSIGN_OR_RETURN(const int64_t n, KeyCount(keys));
    for (int64_t i = 0; i < n; ++i) {
      const K* key = KeyAt(keys, i);
      RAMET_RETURN_IF_ERROR(CheckKey(key));
      RAMET_ASSIGN_OR_RETURN(const Place place, Locate(key, "remove"));
      if (!place.found) continue;
      CopyElements(deleted_, 0, keys_, place.bucket * key_width(), key_width());
      --size_;
    }
    return OkStatus();
  }

  Status Export(Tensor& keys, Tensor& values, Allocator* allocator) const override {
    ReaderLock lock(mutex_);
    RAMET_ASSIGN_OR_RETURN(keys, Tensor::Allocate(key_dtype(), keys_.shape(), allocator));
    RAMET_ASSIGN_OR_RETURN(values, Tensor::Allocate(value_dtype(), values_.shape(), allocator));
    CopyElements(keys_, 0, keys, 0, keys_.num_elements());
    CopyElements(values_, 0, values, 0, values_.num_elements());
    return OkStatus();
  }

 private:
  // A bucket that has a key, or one where it can be inserted.
  struct Place {
    int64_t bucket = -1;
    bool found = false;
  };

  int64_t key_width() const { return empty_.num_elements(); }
  int64_t value_width() const { return value_shape().num_elements(); }
  int64_t num_buckets() const RAMET_REQUIRES_SHARED(mutex_) { return keys_.dim(0); }
  const K* KeyAt(const Tensor& keys, int64_t i) const { return keys.data<K>() + i * key_width(); }
  bool IsKey(const K* key, const Tensor& other) const {
    return std::equal(key, key + key_width(), other.data<K>());
  }

  // Returns the number of keys: rows of a tensor, or 1 for a scalar.
  StatusOr<int64_t> KeyCount(const Tensor& keys) const {
    const int64_t n = keys.rank() == 0 ? 1 : keys.dim(0);
    int64_t elements;
    if (MultiplyNonNegative(n, key_width(), &elements) && elements == keys.num_elements()) return n;
    return InvalidArgument("Expected key shape ", Shape{n}.Concatenate(key_shape()), " got ",
                           keys.shape());
  }

  Status CheckKey(const K* key) const {
    for (const auto& [marker, name] :
         {std::pair{&empty_, "empty_key"}, {&deleted_, "deleted_key"}}) {
      if (!IsKey(key, *marker)) continue;
      return InvalidArgument("Using the ", name, " as a table key is not allowed");
    }
    return OkStatus();
  }

  uint64_t Hash(const K* key) const {
    if (key_width() == 1) return HashOf(*key);
    uint64_t hash = 0;
    for (int64_t i = 0; i < key_width(); ++i) {
      hash ^= HashOf(key[i]) + 0x9e3779b97f4a7800 + (hash << 10) + (hash >> 4);
    }
    return hash;
  }

  // Finds the bucket of a key. If no bucket has it, returns the first that is free on the way.
  // \error kInternal: no bucket has it, and none is free.
  StatusOr<Place> Locate(const K* key, std::string_view what) const RAMET_REQUIRES_SHARED(mutex_) {
    const auto mask = static_cast<uint64_t>(num_buckets() - 1);
    Place free;
    uint64_t bucket = Hash(key) & mask;
    for (int64_t probes = 1; probes <= num_buckets(); ++probes) {
      const auto at = static_cast<int64_t>(bucket);
      const K* held = KeyAt(keys_, at);
      if (std::equal(key, key + key_width(), held)) return Place{at, true};
      const bool is_empty = IsKey(held, empty_);
      if (free.bucket < 0 && (is_empty || IsKey(held, deleted_))) free.bucket = at;
      if (is_empty) return free;
      bucket = (bucket + static_cast<uint64_t>(probes)) & mask;
    }
    if (free.bucket >= 0) return free;
    return Internal("Internal error in MutableDenseHashTable ", what);
  }

  Status Allocate(int64_t num_buckets) RAMET_REQUIRES(mutex_) {
    RAMET_RETURN_IF_ERROR(CheckNumBuckets(num_buckets));
    RAMET_ASSIGN_OR_RETURN(const Shape keys_shape,
                           Shape::Make(std::array{num_buckets, key_width()}));
    RAMET_ASSIGN_OR_RETURN(const Shape values_shape,
                           Shape::Make(std::array{num_buckets, value_width()}));
    RAMET_ASSIGN_OR_RETURN(Tensor keys, Tensor::Allocate(key_dtype(), keys_shape));
    RAMET_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(value_dtype(), values_shape));
    for (int64_t i = 0; i < num_buckets; ++i) {
      CopyElements(empty_, 0, keys, i * key_width(), key_width());
    }
    RAMET_RETURN_IF_ERROR(FillZeros(values));
    keys_ = std::move(keys);
    values_ = std::move(values);
    size_ = 0;
    return OkStatus();
  }

  // Makes room for `count` entries.
  Status Grow(int64_t count) RAMET_REQUIRES(mutex_) {
    const auto has_room = [&](int64_t buckets) {
      return static_cast<float>(count) <= static_cast<float>(buckets) * max_load_factor_;
    };
    int64_t wanted = num_buckets();
    while (!has_room(wanted)) wanted *= 2;
    if (wanted == num_buckets()) return OkStatus();
    const Tensor keys = keys_, values = values_;
    RAMET_RETURN_IF_ERROR(Allocate(wanted));
    for (int64_t i = 0; i < keys.dim(0); ++i) {
      if (IsKey(KeyAt(keys, i), empty_) || IsKey(KeyAt(keys, i), deleted_)) continue;
      RAMET_RETURN_IF_ERROR(InsertOne(keys, values, i));
    }
    return OkStatus();
  }

  Status InsertOne(const Tensor& keys, const Tensor& values, int64_t i) RAMET_REQUIRES(mutex_) {
    RAMET_ASSIGN_OR_RETURN(const Place place, Locate(KeyAt(keys, i), "insert"));
    if (!place.found) {
      CopyElements(keys, i * key_width(), keys_, place.bucket * key_width(), key_width());
      ++size_;
    }
    CopyElements(values, i * value_width(), values_, place.bucket * value_width(), value_width());
    return OkStatus();
  }

  // Replaces all buckets by those of an exported table.
  Status TakeBuckets(const Tensor& keys, const Tensor& values) RAMET_REQUIRES(mutex_) {
    RAMET_RETURN_IF_ERROR(CheckNumBuckets(keys.dim(0)));
    RAMET_RETURN_IF_ERROR(Allocate(keys.dim(0)));
    CopyElements(keys, 0, keys_, 0, keys.num_elements());
    CopyElements(values, 0, values_, 0, values.num_elements());
    for (int64_t i = 0; i < num_buckets(); ++i) {
      if (!IsKey(KeyAt(keys_, i), empty_) && !IsKey(KeyAt(keys_, i), deleted_)) ++size_;
    }
    return OkStatus();
  }

  const float max_load_factor_;
  const Tensor empty_, deleted_;
  mutable SharedMutex mutex_;
  Tensor keys_ RAMET_GUARDED_BY(mutex_), values_ RAMET_GUARDED_BY(mutex_);
  int64_t size_ RAMET_GUARDED_BY(mutex_) = 0;
};

template <class K>
StatusOr<std::shared_ptr<LookupTable>> MakeTyped(std::string name, const Tensor& empty_key,
                                                 const Tensor& deleted_key,
                                                 const DenseTableOptions& options) {
  if (std::ranges::equal(empty_key.flat<K>(), deleted_key.flat<K>())) {
    return InvalidArgument("Empty and deleted keys cannot be equal");
  }
  auto table = std::make_shared<DenseTable<K>>(std::move(name), empty_key, deleted_key, options);
  RAMET_RETURN_IF_ERROR(table->Start(options.num_buckets));
  return std::shared_ptr<LookupTable>(std::move(table));
}

}  // namespace

StatusOr<std::shared_ptr<LookupTable>> MakeDenseTable(std::string name, const Tensor& empty_key,
                                                      const Tensor& deleted_key,
                                                      const DenseTableOptions& options) {
  if (!(options.max_load_factor > 0 && options.max_load_factor < 1)) {
    return InvalidArgument("max_load_factor must be between 0 and 1, got: ",
                           options.max_load_factor);
  }
  if (empty_key.rank() > 1) {
    return InvalidArgument("Empty key must be a scalar or a vector, got shape ", empty_key.shape());
  }
  if (empty_key.shape() != deleted_key.shape()) {
    return InvalidArgument("Empty and deleted keys must have same shape, got shapes: ",
                           empty_key.shape(), " and ", deleted_key.shape());
  }
  if (options.value_shape.rank() > 1 || !options.value_shape.IsFullyDefined()) {
    return InvalidArgument("Empty value must be a scalar or a vector, got shape ",
                           options.value_shape);
  }
  const auto make = empty_key.dtype() == kInt32   ? MakeTyped<int32_t>
                    : empty_key.dtype() == kInt64 ? MakeTyped<int64_t>
                                                  : MakeTyped<std::string>;
  return make(std::move(name), empty_key, deleted_key, options);
}

}  // namespace ramet
