#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ramet/backends/gpu/driver/driver.h"

namespace ramet::gpu {

// A block that work uses, by its id.
struct BlockUse {
  uint64_t id;
  bool is_written;
};

// A LaunchSequence is a list of work for a queue that can be compared with others and started. Two
// elements are equal if they have the same function, size, blocks and bytes of arguments. Blocks
// are told apart by their ids, so that a new block at the address of an old one is different.
// Functions, calls and blocks must exist when an element is started, but not when it is compared.
class LaunchSequence {
 public:
  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  // Returns how many elements are kernels or calls of libraries.
  int64_t launches() const { return launches_; }
  // Removes all elements, and keeps the memory for new ones.
  void Clear();

  void AddLaunch(DriverFunction& function, const LaunchSize& size,
                 std::span<const KernelArgument> arguments);
  void AddCopy(DriverMemory& to, const DriverMemory& from, size_t bytes);
  void AddZero(DriverMemory& memory, size_t bytes);
  void AddCall(LibraryCall& call, std::span<const int64_t> parameters,
               std::span<DriverMemory* const> blocks);
  // Adds element i of another sequence.
  void Add(const LaunchSequence& other, size_t i);

  // Reports whether the first `count` elements are those of `other`. Both must have so many.
  bool StartsLike(const LaunchSequence& other, size_t count) const;
  // Reports whether element i is element 0 of `other`.
  bool IsAt(size_t i, const LaunchSequence& other) const;
  // Reports whether one of the first `count` elements uses a block.
  bool Uses(const DriverMemory& block, size_t count) const;
  // Returns the blocks that element i uses.
  std::span<const BlockUse> UsesOf(size_t i) const;
  uint64_t Hash() const;

  // Starts element i.
  // \error as the function of DriverQueue, or LibraryCall::Enqueue.
  Status Start(size_t i, DriverQueue& queue) const;

 private:
  void AddBlock(const DriverMemory& block, bool is_written);
  void EndElement(bool is_launch);
  std::span<const uint64_t> Element(size_t i) const;
  // The ends of an element in words_ and uses_.
  struct End {
    size_t words, uses;
  };

  std::vector<uint64_t> words_;
  std::vector<BlockUse> uses_;
  std::vector<End> ends_;
  int64_t launches_ = 0;
};

}  // namespace ramet::gpu
