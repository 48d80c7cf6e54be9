#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// An OwnerScope says what the calling thread allocates device memory for while the scope exists.
// Scopes nest; the inner one counts.
class OwnerScope {
 public:
  OwnerScope();
  virtual ~OwnerScope();
  OwnerScope(const OwnerScope&) = delete;
  OwnerScope& operator=(const OwnerScope&) = delete;
  // Returns the name of the owner, such as "node 'a/MatMul'". Called for each allocation.
  virtual std::string Name() const = 0;

 private:
  const OwnerScope* const outer_;
};

// A MemoryOwner is a variable or a node that owns buffers of a device.
struct MemoryOwner {
  std::string name;    // "variable 'w'", "node 'a/MatMul'", or "copies and temporary values"
  uint64_t bytes = 0;  // of all its buffers
  int64_t buffers = 0;
};

// MemoryOwners records the owner of each buffer in the memory of devices, for errors about full
// memory. A buffer belongs to the node that allocated it, and from then on to the variable whose
// value it becomes. Thread-safe.
class MemoryOwners {
 public:
  static MemoryOwners& Global();
  // Records a new buffer of the calling thread's OwnerScope, which takes `bytes` on its device.
  void Add(const Buffer& buffer, uint64_t bytes);
  void Remove(const Buffer& buffer);
  // Makes a variable the owner of the value's buffer. Does nothing for host memory.
  void GiveToVariable(const Tensor& value, const std::string& variable);
  // Returns the owners of buffers in `memory`, the largest first.
  std::vector<MemoryOwner> OwnersIn(const DeviceMemory* memory) const;

 private:
  MemoryOwners();
  struct Impl;
  Impl* const impl_;  // never destroyed
};

}  // namespace ramet
