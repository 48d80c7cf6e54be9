#include "ramet/replica/shm/device_blocks.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "ramet/replica/shm/device_block_map.h"
#include "ramet/replica/shm/device_readers.h"
#include "ramet/replica/shm/pins.h"

namespace ramet::shm {
namespace {

constexpr size_t kUnit = 4096;
constexpr char kKey[] = "test:1";

// A device whose memory is a memfd, so that blocks have descriptors.
class TestMemory final : public DeviceMemory, public MemorySharer {
 public:
  explicit TestMemory(std::string key = kKey) : key_(std::move(key)) {}
  Tensor View(const Tensor& tensor) const override { return tensor; }
  Tensor Unview(const Tensor& view) const override { return view; }
  const std::string& sharing_key() const override { return key_; }
  StatusOr<std::shared_ptr<SharedBlock>> AllocateShared(size_t bytes) const override {
    if (bytes > max_bytes) return ResourceExhausted("the memory is full");
    const size_t size = (bytes + kUnit - 1) / kUnit * kUnit;
    FileDescriptor fd(memfd_create("block", MFD_CLOEXEC));
    if (ftruncate(fd.get(), static_cast<off_t>(size)) != 0) return Internal("ftruncate failed");
    return std::shared_ptr<SharedBlock>(std::make_shared<Block>(*this, std::move(fd), size));
  }
  StatusOr<std::shared_ptr<SharedBlock>> OpenShared(int fd, size_t bytes) const override {
    struct stat status;
    if (fstat(fd, &status) != 0 || static_cast<size_t>(status.st_size) != bytes) {
      return InvalidArgument("not a block of ", bytes, " bytes");
    }
    return std::shared_ptr<SharedBlock>(std::make_shared<Block>(*this, FileDescriptor(), bytes));
  }
  Status CopyToShared(DeviceMark&, std::span<const Tensor>,
                      std::span<const Tensor>) const override {
    return OkStatus();
  }
  void WaitForWork() const override { on_wait(); }
  // Returns a value in this memory.
  Tensor Value(DType dtype, const Shape& shape) const {
    const size_t bytes = static_cast<size_t>(shape.num_elements()) * DTypeSize(dtype);
    return Tensor(dtype, shape, BufferPtr::Adopt(new Bytes(bytes, *this, nullptr, nullptr)));
  }

  size_t max_bytes = size_t{1} << 30;
  std::function<void()> on_wait = [] {};

 private:
  struct Bytes final : Buffer {
    Bytes(size_t size, const TestMemory& memory, std::shared_ptr<SharedBlock> of,
          std::shared_ptr<const void> held)
        : Buffer(nullptr, size, &memory, true), block(std::move(of)), hold(std::move(held)) {}
    void Dispose() override { delete this; }
    std::shared_ptr<SharedBlock> block;
    std::shared_ptr<const void> hold;
  };
  class Block final : public SharedBlock, public std::enable_shared_from_this<Block> {
   public:
    Block(const TestMemory& memory, FileDescriptor fd, size_t size)
        : memory_(memory), fd_(std::move(fd)), size_(size) {}
    size_t size() const override { return size_; }
    int fd() const override { return fd_.get(); }
    Tensor ValueAt(size_t offset, DType dtype, const Shape& shape,
                   std::shared_ptr<const void> hold) override {
      const size_t bytes = static_cast<size_t>(shape.num_elements()) * DTypeSize(dtype);
      EXPECT_LE(offset + bytes, size_);
      return Tensor(
          dtype, shape,
          BufferPtr::Adopt(new Bytes(bytes, memory_, shared_from_this(), std::move(hold))));
    }

   private:
    const TestMemory& memory_;
    const FileDescriptor fd_;
    const size_t size_;
  };
  const std::string key_;
};

std::vector<Tensor> Values(const TestMemory& memory) {
  return {memory.Value(kFloat, {100}), Tensor(), memory.Value(kInt32, {4}),
          memory.Value(kFloat, {3})};
}

TEST(DeviceBlocksTest, PlacesTheFloatingPointValuesOfADevice) {
  const TestMemory memory;
  DeviceBlocks blocks(1);
  const auto copies = blocks.Reserve(Values(memory), {kKey});
  ASSERT_NE(copies, nullptr);
  std::vector<Entry> entries(4, Entry{0, 0, 7, 7});
  DeviceBlocks::FillEntries(copies.get(), entries);
  EXPECT_EQ(entries[0].device_block, 1u);
  EXPECT_EQ(entries[0].device_offset, 0u);
  EXPECT_EQ(entries[1].device_block, 0u);
  EXPECT_EQ(entries[2].device_block, 0u);  // integers may be indices
  EXPECT_EQ(entries[3].device_block, 1u);
  EXPECT_EQ(entries[3].device_offset, 512u);
  EXPECT_EQ(copies->values[0].shape(), Shape({100}));
  EXPECT_TRUE(copies->values[2].empty());
  DeviceBlocks::FillEntries(nullptr, entries);
  EXPECT_EQ(entries[0].device_block, 0u);
}

TEST(DeviceBlocksTest, ABlockIsUsedAgainOnlyWhenItsVersionIsReleased) {
  const TestMemory memory;
  DeviceBlocks blocks(1);
  std::vector<std::shared_ptr<DeviceCopies>> versions;
  for (int i = 0; i < 3; ++i) versions.push_back(blocks.Reserve(Values(memory), {kKey}));
  for (const auto& version : versions) EXPECT_NE(version, nullptr);
  EXPECT_EQ(blocks.Blocks().size(), 3u);
  EXPECT_EQ(blocks.Reserve(Values(memory), {kKey}), nullptr);
  const Tensor kept = versions[1]->values[0];
  versions[1].reset();
  EXPECT_EQ(blocks.Reserve(Values(memory), {kKey}), nullptr);  // a value holds it
  versions[2].reset();
  std::vector<Entry> entries(4);
  DeviceBlocks::FillEntries(blocks.Reserve(Values(memory), {kKey}).get(), entries);
  EXPECT_EQ(entries[0].device_block, 3u);
}

TEST(DeviceBlocksTest, NothingIsCopiedThatNobodyWants) {
  const TestMemory memory, other("test:2"), cannot_share("");
  DeviceBlocks blocks(1);
  EXPECT_EQ(blocks.Reserve(Values(other), {kKey}), nullptr);
  EXPECT_EQ(blocks.Reserve(Values(cannot_share), {kKey}), nullptr);
  EXPECT_EQ(blocks.Reserve(std::vector<Tensor>{Tensor(1.0f)}, {kKey}), nullptr);
  EXPECT_TRUE(blocks.Blocks().empty());
  ASSERT_NE(blocks.Reserve(Values(memory), {kKey}), nullptr);
  EXPECT_EQ(blocks.Blocks().size(), 1u);
  EXPECT_EQ(blocks.Reserve(Values(memory), {}), nullptr);
  EXPECT_TRUE(blocks.Blocks().empty());
}

TEST(DeviceBlocksTest, AFullDeviceIsNoError) {
  TestMemory memory;
  memory.max_bytes = 0;
  DeviceBlocks blocks(1);
  EXPECT_EQ(blocks.Reserve(Values(memory), {kKey}), nullptr);
}

VariableSpec Floats(int64_t n) {
  VariableSpec spec;
  spec.name = "w";
  spec.dtype = kFloat;
  spec.shape = Shape{n};
  return spec;
}

FileDescriptor FileOf(size_t bytes) {
  FileDescriptor fd(memfd_create("block", MFD_CLOEXEC));
  EXPECT_EQ(ftruncate(fd.get(), static_cast<off_t>(bytes)), 0);
  return fd;
}

TEST(DeviceBlockMapTest, FindsValuesAndHoldsThem) {
  const TestMemory memory;
  DeviceBlockMap map;
  ASSERT_TRUE(map.Add({2, kUnit, kKey}, FileOf(kUnit)).ok());
  auto hold = std::make_shared<int>(1);
  const std::weak_ptr<int> held = hold;
  Tensor value = map.ValueAt({0, 0, 2, 256}, Floats(10), memory, hold);
  hold.reset();
  EXPECT_EQ(value.shape(), Shape({10}));
  EXPECT_EQ(value.memory(), static_cast<const DeviceMemory*>(&memory));
  EXPECT_TRUE(value.borrowed());
  EXPECT_FALSE(held.expired());
  value = Tensor();
  EXPECT_TRUE(held.expired());
}

// Whatever a publisher sends, the follower takes the values from host memory.
TEST(DeviceBlockMapTest, RefusesWhatDoesNotFit) {
  const TestMemory memory, other("test:2");
  DeviceBlockMap map;
  ASSERT_TRUE(map.Add({1, kUnit, kKey}, FileOf(kUnit)).ok());
  ASSERT_TRUE(map.Add({2, 2 * kUnit, kKey}, FileOf(kUnit)).ok());
  ASSERT_TRUE(map.Add({3, kUnit, kKey}, FileDescriptor(open("/dev/null", O_RDONLY))).ok());
  const auto is_refused = [&](const Entry& entry, const VariableSpec& spec, const TestMemory& in) {
    return map.ValueAt(entry, spec, in, nullptr).empty();
  };
  EXPECT_FALSE(is_refused({0, 0, 1, 0}, Floats(1024), memory));
  EXPECT_TRUE(is_refused({0, 0, 0, 0}, Floats(1), memory));
  EXPECT_TRUE(is_refused({0, 0, 1, 0}, Floats(1025), memory));
  EXPECT_TRUE(is_refused({0, 0, 1, 256}, Floats(1024), memory));
  EXPECT_TRUE(is_refused({0, 0, 1, 4}, Floats(1), memory));
  EXPECT_TRUE(is_refused({0, 0, 1, ~uint64_t{255}}, Floats(1024), memory));
  EXPECT_TRUE(is_refused({0, 0, 1, 0}, Floats(1), other));
  EXPECT_TRUE(is_refused({0, 0, 2, 0}, Floats(1), memory));
  EXPECT_TRUE(is_refused({0, 0, 3, 0}, Floats(1), memory));
  EXPECT_TRUE(is_refused({0, 0, 99, 0}, Floats(1), memory));
  VariableSpec indices = Floats(1);
  indices.dtype = kInt32;
  EXPECT_TRUE(is_refused({0, 0, 1, 0}, indices, memory));
}

TEST(DeviceBlockMapTest, RefusesNumbersAndFloods) {
  DeviceBlockMap map;
  EXPECT_TRUE(IsInvalidArgument(map.Add({0, kUnit, kKey}, FileOf(kUnit))));
  for (uint64_t i = 1; i <= 256; ++i) ASSERT_TRUE(map.Add({i, kUnit, kKey}, FileDescriptor()).ok());
  EXPECT_TRUE(IsInvalidArgument(map.Add({1, kUnit, kKey}, FileDescriptor())));
  EXPECT_TRUE(IsInvalidArgument(map.Add({257, kUnit, kKey}, FileDescriptor())));
}

TEST(DeviceHoldTest, AVersionIsUnpinnedAfterTheDeviceHasReadIt) {
  auto pins = std::make_shared<Pins>(
      MemoryFile::Create("control", sizeof(ControlBlock), MemoryFile::Access::kAllWrite).value());
  std::atomic<uint64_t>* const cell = pins->Acquire();
  *cell = 5;
  TestMemory memory;
  std::vector<uint64_t> pinned_while_waiting;
  memory.on_wait = [&] { pinned_while_waiting.push_back(*cell); };
  auto version = std::make_unique<PinnedVersion>(std::make_shared<const Pin>(pins, cell));
  std::shared_ptr<const void> value = version->HoldOn(memory);
  EXPECT_EQ(value, version->HoldOn(memory));
  version.reset();
  EXPECT_EQ(*cell, 5u);
  EXPECT_TRUE(pinned_while_waiting.empty());
  value.reset();
  EXPECT_EQ(*cell, 0u);
  EXPECT_EQ(pinned_while_waiting, std::vector<uint64_t>{5});
}

TEST(DeviceNoticeTest, IsParsed) {
  const DeviceNotice notice = ParseDeviceNotice(DeviceNoticeToText({3, 4096, kKey})).value();
  EXPECT_EQ(notice.number, 3u);
  EXPECT_EQ(notice.bytes, 4096u);
  EXPECT_EQ(notice.key, kKey);
  for (const char* text :
       {"device", "device 1 2", "device x 2 k", "device 1 -2 k", "device 1 2 k k"}) {
    EXPECT_TRUE(IsInvalidArgument(ParseDeviceNotice(text).status())) << text;
  }
}

// Blocks go to other processes only; two processes are in tests/replica/cuda_test.cc.
TEST(DeviceReadersTest, FollowersInTheSameProcessGetNoBlocks) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const Channel follower{FileDescriptor(ends[1])};
  ReaderList readers;
  ASSERT_TRUE(readers.Add(Channel(FileDescriptor(ends[0])), "hello", {}, {}).ok());
  ASSERT_TRUE(follower.Receive(0).ok());
  const uint64_t id = readers.IdOf(ends[0]);
  DeviceReaders wanting(readers);
  EXPECT_TRUE(IsFailedPrecondition(wanting.Add(id, kKey)));  // the same process
  EXPECT_TRUE(IsUnavailable(wanting.Add(id + 1, kKey)));
  EXPECT_TRUE(wanting.Keys().empty());
}

}  // namespace
}  // namespace ramet::shm
