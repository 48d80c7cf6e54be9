#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "ramet/op/kernel.h"
#include "ramet/op/resource_store.h"
#include "ramet/op/table_content.h"

namespace ramet {

// A LookupTable maps keys (int32, int64 or string) to values of one dtype. A kFilledOnce table gets
// its entries from Initialize and keeps them; a kMutable or kDense table starts empty and accepts
// insertions. Keys and values are scalars, or vectors of one length in a kDense table, which
// exposes its buckets when it is exported. Thread-safe.
class LookupTable : public Resource, public TableContent {
 public:
  enum class Kind { kFilledOnce, kMutable, kDense };

  LookupTable(Kind kind, std::string name, DType key, DType value, Shape key_shape = Shape(),
              Shape value_shape = Shape())
      : kind_(kind),
        name_(std::move(name)),
        key_(key),
        value_(value),
        key_shape_(std::move(key_shape)),
        value_shape_(std::move(value_shape)) {}
  // `kind` is not kDense (see MakeDenseTable), and `key` must be int32, int64 or string.
  static std::shared_ptr<LookupTable> Make(Kind kind, std::string name, DType key, DType value);

  std::string_view type_name() const override { return "table"; }
  Kind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  DType key_dtype() const { return key_; }
  DType value_dtype() const { return value_; }
  const Shape& key_shape() const { return key_shape_; }
  const Shape& value_shape() const { return value_shape_; }
  bool initialized() const { return initialized_; }
  bool has_content() const override { return kind_ != Kind::kFilledOnce || initialized_; }

  // In the functions below, tensors must have the dtypes of the table and matching shapes; the ops
  // check this.

  // Looks up the values of keys. A missing key gets the value of `defaults`: one for all keys, or
  // one for each. A kFilledOnce table uses the first for all.
  // \error kFailedPrecondition: "Table not initialized."
  virtual Status Find(const Tensor& keys, const Tensor& defaults, Tensor& values) const = 0;
  virtual int64_t size() const = 0;
  // Fills a table that has not been filled; does nothing to one that has.
  // \error kFailedPrecondition: a key occurs twice with different values.
  virtual Status Initialize(const Tensor& keys, const Tensor& values) = 0;
  // Adds or replaces entries. If `clear` is true, removes all other entries; keys and values of a
  // kDense table are then the buckets of an exported one.
  // \error kInvalidArgument: a kDense table cannot have one of the keys, or that many buckets.
  virtual Status Insert(const Tensor& keys, const Tensor& values, bool clear) = 0;
  // \error kInvalidArgument: a kDense table cannot have one of the keys.
  virtual Status Remove(const Tensor& keys) = 0;
  // Returns all entries, in the order of insertion as long as none has been removed.
  Status Export(Tensor& keys, Tensor& values, Allocator* allocator) const override = 0;

 protected:
  std::atomic<bool> initialized_ = false;

 private:
  const Kind kind_;
  const std::string name_;
  const DType key_, value_;
  const Shape key_shape_, value_shape_;
};

// Returns the name under which the ResourceStore of a session keeps the tables of a container (""
// means "localhost").
std::string TableContainer(std::string_view container);

// Returns the table that input 0 names.
// \error kInvalidArgument: the input is not the handle of a table.
// \error kNotFound: the session has no table of that name.
StatusOr<std::shared_ptr<LookupTable>> InputTable(KernelContext& c);

// Checks that the dtypes of the keys and values (inputs 1 and 2, if present) and of the output are
// those of the table.
// \error kInvalidArgument: "Signature mismatch, have: ...".
Status CheckTableTypes(KernelContext& c, const LookupTable& table, DType output = DType::kInvalid);

}  // namespace ramet
