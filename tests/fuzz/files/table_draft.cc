#include "table_draft.h"

#include <snappy.h>

#include <algorithm>

#include "ramet/format/table_testing.h"
#include "spoil.h"

namespace ramet::fuzz {
namespace {

using table_testing::Entry;
using table_testing::Framed;
using table_testing::Handle;

enum class Lie {
  kNone,
  kShared,
  kLength,
  kRestarts,
  kOrder,
  kTwice,
  kHandle,
  kRepeatedHandle,
  kIndexKey,
  kBlockType,
  kInflatedSize,
  kBomb,
  kChecksum,
  kFooter,
  kLast = kFooter
};

constexpr int64_t kManyHandles = 20'000;
constexpr int64_t kMaxRepeatedBytes = int64_t{8} << 20;

size_t SharedPrefix(const std::string& a, const std::string& b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                             a.begin());
}

class TableDrafter {
 public:
  TableDrafter(Random& random, bool lies) : random_(random) {
    if (lies) lie_ = static_cast<Lie>(random.In(1, static_cast<int64_t>(Lie::kLast)));
  }

  std::string Take(Records records) {
    if (lie_ == Lie::kOrder && records.size() > 1) {
      std::swap(records[random_.Below(records.size())], records[random_.Below(records.size())]);
    }
    if (lie_ == Lie::kTwice && !records.empty()) {
      const auto at = random_.Below(static_cast<int64_t>(records.size()));
      records.insert(records.begin() + at, records[at]);
    }
    const size_t per_block = random_.Pick({1, 3, 1000, 1000});
    for (size_t at = 0; at < records.size(); at += per_block) {
      const size_t end = std::min(records.size(), at + per_block);
      AddBlock({records.begin() + static_cast<int64_t>(at),
                records.begin() + static_cast<int64_t>(end)});
    }
    if (records.empty() || random_.Percent(2)) AddBlock({});
    return Finish();
  }

 private:
  // Reports whether to lie here. Only some of the places do, so that most files have one lie.
  bool Now(Lie lie) { return lie_ == lie && random_.Percent(40); }

  void AddBlock(const Records& records) {
    const std::string block = Block(records);
    const std::string key = records.empty() ? std::string(1, '\xFF') : records.back().first;
    const uint64_t offset = file_.size();
    AppendBlock(block);
    const auto size = static_cast<int64_t>(file_.size() - offset) - 5;
    std::string handle = Handle(offset, static_cast<uint64_t>(size));
    if (Now(Lie::kHandle)) handle = LyingHandle(static_cast<int64_t>(offset), size);
    index_.emplace_back(Now(Lie::kIndexKey) ? OtherKey(key) : key, handle);
    const bool few = index_.size() < static_cast<size_t>(kManyHandles);
    if (Now(Lie::kRepeatedHandle) && few) RepeatHandle(key, handle);
  }

  // Adds many index entries for one block. A reader that processes it once per entry takes long.
  void RepeatHandle(const std::string& key, const std::string& handle) {
    const int64_t drawn = random_.Pick({int64_t{1}, int64_t{2}, int64_t{100}, kManyHandles});
    const int64_t times = std::min(drawn, kMaxRepeatedBytes / static_cast<int64_t>(key.size() + 1));
    for (int64_t i = 1; i <= times; ++i) {
      std::string later = key + "\xFF";
      for (int shift = 24; shift >= 0; shift -= 8) later += static_cast<char>(i >> shift);
      index_.emplace_back(later, handle);
    }
  }

  std::string OtherKey(const std::string& key) {
    std::string other = key;
    SpoilBytes(random_, &other);
    return random_.Percent(20) ? "" : other;
  }

  std::string LyingHandle(int64_t offset, int64_t size) {
    const bool at = random_.Percent(50);
    std::string handle = Handle(static_cast<uint64_t>(at ? LyingNumber(random_, offset) : offset),
                                static_cast<uint64_t>(at ? size : LyingNumber(random_, size)));
    if (random_.Percent(20)) SpoilBytes(random_, &handle);
    return handle;
  }

  std::string Block(const Records& records) {
    std::string entries, before;
    std::vector<uint32_t> restarts;
    const int64_t interval = random_.Pick({1, 2, 16});
    int64_t since = interval;
    for (const auto& [key, value] : records) {
      size_t shared = SharedPrefix(before, key);
      if (++since >= interval) {
        restarts.push_back(static_cast<uint32_t>(entries.size()));
        shared = since = 0;
      }
      entries += EntryOf(key, shared, value);
      before = key;
    }
    if (restarts.empty()) restarts.push_back(0);
    if (Now(Lie::kRestarts)) SpoilRestarts(&restarts);
    std::string block = table_testing::BlockOf(entries, restarts);
    if (Now(Lie::kRestarts)) {
      block.resize(block.size() - 4);
      AppendFixed32(&block, static_cast<uint32_t>(
                                LyingNumber(random_, static_cast<int64_t>(restarts.size()))));
    }
    return block;
  }

  std::string EntryOf(const std::string& key, size_t shared, const std::string& value) {
    const std::string_view rest = std::string_view(key).substr(shared);
    const auto is = static_cast<int64_t>(shared);
    if (Now(Lie::kShared)) {
      return Entry(static_cast<uint64_t>(LyingNumber(random_, is)), rest, value);
    }
    if (!Now(Lie::kLength)) return Entry(shared, rest, value);
    std::string entry;
    AppendVarint64(&entry, shared);
    const bool of_key = random_.Percent(50);
    const auto lie = [&](size_t n, bool lies) {
      const auto right = static_cast<int64_t>(n);
      AppendVarint64(&entry, static_cast<uint64_t>(lies ? LyingNumber(random_, right) : right));
    };
    lie(rest.size(), of_key);
    lie(value.size(), !of_key);
    return entry.append(rest).append(value);
  }

  void SpoilRestarts(std::vector<uint32_t>* restarts) {
    const auto at = static_cast<size_t>(random_.Below(static_cast<int64_t>(restarts->size())));
    switch (random_.Below(4)) {
      case 0: (*restarts)[at] = static_cast<uint32_t>(LyingNumber(random_, (*restarts)[at])); break;
      case 1: std::ranges::reverse(*restarts); break;
      case 2: restarts->push_back(restarts->back()); break;
      default: restarts->clear();
    }
  }

  void AppendBlock(std::string block) {
    char type = 0;
    if (random_.Percent(30) || Now(Lie::kInflatedSize)) {
      type = 1;
      block = Compressed(block);
    }
    if (!has_bomb_ && Now(Lie::kBomb)) {
      has_bomb_ = true;
      type = 1;
      block = Compressed(block + std::string(size_t{8} << 20, '\0'));
    }
    if (Now(Lie::kBlockType)) type = static_cast<char>(random_.Pick({0, 1, 2, 3, 4, 127, -1}));
    std::string framed = Framed(std::move(block), type);
    if (Now(Lie::kChecksum)) framed.back() = static_cast<char>(framed.back() ^ 1);
    file_ += framed;
  }

  std::string Compressed(const std::string& block) {
    std::string out;
    snappy::Compress(block.data(), block.size(), &out);
    if (!Now(Lie::kInflatedSize)) return out;
    std::string_view rest = out;
    uint64_t size;
    TakeVarint64(&rest, &size);
    std::string lying;
    AppendVarint64(&lying, static_cast<uint64_t>(LyingNumber(random_, static_cast<int64_t>(size))));
    return lying.append(rest);
  }

  std::string Finish() {
    std::string entries;
    std::vector<uint32_t> restarts;
    for (const auto& [key, handle] : index_) {
      restarts.push_back(static_cast<uint32_t>(entries.size()));
      entries += Entry(0, key, handle);
    }
    const uint64_t meta_at = file_.size();
    file_ += Framed(table_testing::BlockOf(""));
    const uint64_t index_at = file_.size();
    AppendBlock(table_testing::BlockOf(entries, restarts));
    const uint64_t size = file_.size() - index_at - 5;
    return file_ + Footer(Handle(meta_at, 8), Handle(index_at, size));
  }

  std::string Footer(const std::string& meta, std::string index) {
    if (lie_ == Lie::kFooter) {
      const auto at = static_cast<int64_t>(file_.size());
      index = LyingHandle(random_.Percent(50) ? 0 : at, random_.Below(300));
    }
    std::string footer = meta + index;
    footer.resize(40, random_.Percent(95) ? '\0' : '\x80');
    AppendFixed32(&footer, 0x8B80FB57u);
    AppendFixed32(&footer, 0xDB477524u);
    return footer;
  }

  Random& random_;
  Lie lie_ = Lie::kNone;
  bool has_bomb_ = false;
  std::string file_;
  Records index_;
};

}  // namespace

std::string DraftTable(Random& random, const Records& records, bool lies) {
  return TableDrafter(random, lies).Take(records);
}

}  // namespace ramet::fuzz
