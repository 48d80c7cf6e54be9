#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "ramet/op/kernel.h"
#include "ramet/op/resource_store.h"
#include "ramet/op/table_content.h"

namespace ramet {

// A LookupTable maps scalar keys (int32, int64 or string) to scalar values of one dtype. One that
// is kFilledOnce gets its entries by Initialize and keeps them; a kMutable one starts empty and
// takes insertions. Thread-safe.
class LookupTable : public Resource, public TableContent {
 public:
  enum class Kind { kFilledOnce, kMutable };

  LookupTable(Kind kind, std::string name, DType key, DType value)
      : kind_(kind), name_(std::move(name)), key_(key), value_(value) {}
  // `key` is int32, int64 or string.
  static std::shared_ptr<LookupTable> Make(Kind kind, std::string name, DType key, DType value);

  std::string_view type_name() const override { return "table"; }
  Kind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  DType key_dtype() const { return key_; }
  DType value_dtype() const { return value_; }
  bool initialized() const { return initialized_; }
  bool has_content() const override { return kind_ == Kind::kMutable || initialized_; }

  // The tensors have the table's dtypes and their shapes fit; see the ops for what is checked.
  // The values of keys; where there is none, the one of `defaults` (one for all, or one each; a
  // table that is filled once takes the first for all).
  // \error kFailedPrecondition "Table not initialized."
  virtual Status Find(const Tensor& keys, const Tensor& defaults, Tensor& values) const = 0;
  virtual int64_t size() const = 0;
  // Fills a table that has not been filled; nothing happens to one that has.
  // \error kFailedPrecondition if a key is there twice with different values.
  virtual Status Initialize(const Tensor& keys, const Tensor& values) = 0;
  // Adds or replaces; with `clear` nothing else stays.
  virtual Status Insert(const Tensor& keys, const Tensor& values, bool clear) = 0;
  virtual void Remove(const Tensor& keys) = 0;
  // All entries, in the order in which they came in (until one is removed).
  Status Export(Tensor& keys, Tensor& values, Allocator* allocator) const override = 0;

 protected:
  std::atomic<bool> initialized_ = false;

 private:
  const Kind kind_;
  const std::string name_;
  const DType key_, value_;
};

// Where a session's ResourceStore keeps the tables of a container ("" is "localhost").
std::string TableContainer(std::string_view container);

// The table that input 0 names. \error kInvalidArgument if it is no handle of a table; kNotFound if
// the session has no table of that name.
StatusOr<std::shared_ptr<LookupTable>> InputTable(KernelContext& c);

// \error kInvalidArgument "Signature mismatch, have: ..." if the dtypes of the keys and values
// (inputs 1 and 2, where there are such) or of the output are not the table's.
Status CheckTableTypes(KernelContext& c, const LookupTable& table, DType output = DType::kInvalid);

}  // namespace ramet
