#include "ramet/backends/gpu/launch_sequence.h"

#include <algorithm>
#include <cstring>

namespace ramet::gpu {
namespace {

enum Kind : uint64_t { kLaunch, kCopy, kZero, kCall };

constexpr uint64_t kIsBlock = ~uint64_t{0};  // instead of the size of a value

uint64_t WordOf(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
uint64_t WordOf(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }

// Reads the words of an element in the order in which they were added.
class Reader {
 public:
  explicit Reader(std::span<const uint64_t> words) : words_(words) {}
  bool at_end() const { return words_.empty(); }
  uint64_t Word() {
    const uint64_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  template <class T>
  T& Object() {
    return *reinterpret_cast<T*>(Word());
  }
  DriverMemory& Block() {
    Word();  // the id
    return Object<DriverMemory>();
  }
  std::span<const std::byte> Bytes(size_t size) {
    const auto bytes = std::as_bytes(words_).first(size);
    words_ = words_.subspan((size + 7) / 8);
    return bytes;
  }

 private:
  std::span<const uint64_t> words_;
};

LaunchSize ReadSize(Reader& reader) {
  std::array<uint32_t, 6> numbers;
  for (size_t i = 0; i < numbers.size(); i += 2) {
    const uint64_t word = reader.Word();
    numbers[i] = static_cast<uint32_t>(word);
    numbers[i + 1] = static_cast<uint32_t>(word >> 32);
  }
  return {{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]}};
}

Status StartLaunch(Reader& reader, DriverQueue& queue) {
  auto& function = reader.Object<DriverFunction>();
  const LaunchSize size = ReadSize(reader);
  std::vector<KernelArgument> arguments;
  arguments.reserve(reader.Word());
  while (!reader.at_end()) {
    const uint64_t bytes = reader.Word();
    if (bytes == kIsBlock) {
      arguments.emplace_back(reader.Block());
    } else {
      arguments.push_back(KernelArgument::OfBytes(reader.Bytes(bytes)));
    }
  }
  return queue.Launch(function, size, arguments);
}

Status StartCall(Reader& reader, DriverQueue& queue) {
  auto& call = reader.Object<LibraryCall>();
  std::vector<int64_t> parameters(reader.Word());
  for (int64_t& parameter : parameters) parameter = static_cast<int64_t>(reader.Word());
  std::vector<DriverMemory*> blocks;
  while (!reader.at_end()) blocks.push_back(&reader.Block());
  return call.Enqueue(queue, parameters, blocks);
}

}  // namespace

void LaunchSequence::Clear() {
  words_.clear();
  uses_.clear();
  ends_.clear();
  launches_ = 0;
}

void LaunchSequence::AddBlock(const DriverMemory& block, bool is_written) {
  words_.push_back(block.id());
  words_.push_back(WordOf(&block));
  uses_.push_back({block.id(), is_written});
}

void LaunchSequence::EndElement(bool is_launch) {
  ends_.push_back({words_.size(), uses_.size()});
  if (is_launch) ++launches_;
}

void LaunchSequence::AddLaunch(DriverFunction& function, const LaunchSize& size,
                               std::span<const KernelArgument> arguments) {
  const auto& [groups, items] = size;
  const uint64_t head[] = {kLaunch,
                           WordOf(&function),
                           WordOf(groups[0], groups[1]),
                           WordOf(groups[2], items[0]),
                           WordOf(items[1], items[2]),
                           arguments.size()};
  words_.insert(words_.end(), std::begin(head), std::end(head));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const KernelArgument& argument = arguments[i];
    if (argument.memory() != nullptr) {
      words_.push_back(kIsBlock);
      AddBlock(*argument.memory(), !function.only_reads(i, arguments.size()));
      continue;
    }
    const std::span<const std::byte> bytes = argument.bytes();
    words_.push_back(bytes.size());
    const size_t at = words_.size();
    words_.resize(at + (bytes.size() + 7) / 8);  // the last word ends with zeros
    std::memcpy(words_.data() + at, bytes.data(), bytes.size());
  }
  EndElement(true);
}

void LaunchSequence::AddCopy(DriverMemory& to, const DriverMemory& from, size_t bytes) {
  words_.push_back(kCopy);
  AddBlock(to, true);
  AddBlock(from, false);
  words_.push_back(bytes);
  EndElement(false);
}

void LaunchSequence::AddZero(DriverMemory& memory, size_t bytes) {
  words_.push_back(kZero);
  AddBlock(memory, true);
  words_.push_back(bytes);
  EndElement(false);
}

void LaunchSequence::AddCall(LibraryCall& call, std::span<const int64_t> parameters,
                             std::span<DriverMemory* const> blocks) {
  words_.push_back(kCall);
  words_.push_back(WordOf(&call));
  words_.push_back(parameters.size());
  for (int64_t parameter : parameters) words_.push_back(static_cast<uint64_t>(parameter));
  const size_t num_only_read = call.NumOnlyRead(parameters);
  for (size_t i = 0; i < blocks.size(); ++i) AddBlock(*blocks[i], i >= num_only_read);
  EndElement(true);
}

void LaunchSequence::Add(const LaunchSequence& other, size_t i) {
  const std::span<const uint64_t> element = other.Element(i);
  words_.insert(words_.end(), element.begin(), element.end());
  const std::span<const BlockUse> uses = other.UsesOf(i);
  uses_.insert(uses_.end(), uses.begin(), uses.end());
  EndElement(element[0] == kLaunch || element[0] == kCall);
}

bool LaunchSequence::StartsLike(const LaunchSequence& other, size_t count) const {
  if (count == 0) return true;
  const size_t words = ends_[count - 1].words;
  return words == other.ends_[count - 1].words &&
         std::equal(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(words),
                    other.words_.begin());
}

bool LaunchSequence::IsAt(size_t i, const LaunchSequence& other) const {
  return std::ranges::equal(Element(i), other.Element(0));
}

bool LaunchSequence::Uses(const DriverMemory& block, size_t count) const {
  if (count == 0) return false;
  const auto uses = std::span(uses_).first(ends_[count - 1].uses);
  return std::ranges::find(uses, block.id(), &BlockUse::id) != uses.end();
}

std::span<const BlockUse> LaunchSequence::UsesOf(size_t i) const {
  const size_t begin = i == 0 ? 0 : ends_[i - 1].uses;
  return std::span(uses_).subspan(begin, ends_[i].uses - begin);
}

uint64_t LaunchSequence::Hash() const {
  uint64_t hash = 0xcbf29ce484222325;
  for (uint64_t word : words_) hash = (hash ^ word ^ hash >> 32) * 0x9e3779b97f4a7c15;
  return hash;
}

Status LaunchSequence::Start(size_t i, DriverQueue& queue) const {
  Reader reader(Element(i));
  const uint64_t kind = reader.Word();
  if (kind == kLaunch) return StartLaunch(reader, queue);
  if (kind == kCall) return StartCall(reader, queue);
  DriverMemory& to = reader.Block();
  if (kind == kZero) return queue.Zero(to, reader.Word());
  const DriverMemory& from = reader.Block();
  return queue.Copy(to, from, reader.Word());
}

std::span<const uint64_t> LaunchSequence::Element(size_t i) const {
  const size_t begin = i == 0 ? 0 : ends_[i - 1].words;
  return {words_.data() + begin, ends_[i].words - begin};
}

}  // namespace ramet::gpu
