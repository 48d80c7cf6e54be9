#include <gtest/gtest.h>
#include <leveldb/env.h>
#include <leveldb/table_builder.h>

#include <map>

#include "ramet/base/file.h"
#include "ramet/base/scratch_dir.h"
#include "ramet/format/table_reader.h"
#include "ramet/format/table_testing.h"
#include "ramet/format/table_writer.h"

namespace ramet {
namespace {

using namespace table_testing;

using Entries = std::map<std::string, std::string>;

void WriteTable(const std::string& path, const Entries& entries) {
  RemoveFile(path).IgnoreError();
  TableWriter table = TableWriter::Create(path).value();
  for (const auto& [key, value] : entries) ASSERT_TRUE(table.Add(key, value).ok());
  ASSERT_TRUE(table.Finish().ok());
}

StatusOr<Entries> ReadTable(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(TableReader table, TableReader::Open(path));
  Entries entries;
  for (; table.valid();) {
    entries.emplace(table.key(), table.value());
    RAMET_RETURN_IF_ERROR(table.Next());
  }
  return entries;
}

Entries ManyEntries(int n) {
  Entries entries = {{"", "header"}};
  for (int i = 0; i < n; ++i)
    entries.emplace(StrCat("scope/layer_", i, "/kernel"), std::string(i % 50, 'v'));
  return entries;
}

TEST(Table, RoundTripsOverManyBlocks) {
  ScratchDir dir;
  Entries entries = ManyEntries(30000);
  entries.emplace("huge", std::string(1 << 20, 'h'));
  WriteTable(dir / "t", entries);
  EXPECT_EQ(ReadTable(dir / "t").value(), entries);
}

TEST(Table, SeeksToTheFirstKeyThatIsNotLess) {
  ScratchDir dir;
  const Entries entries = ManyEntries(30000);
  WriteTable(dir / "t", entries);
  TableReader table = TableReader::Open(dir / "t").value();
  for (int i = 0; i < 30000; i += 701) {
    const std::string key = StrCat("scope/layer_", i, "/kernel");
    ASSERT_TRUE(table.Seek(key).ok());
    ASSERT_TRUE(table.valid());
    EXPECT_EQ(table.key(), key);
    ASSERT_TRUE(table.Seek(key + "x").ok());
    auto next = entries.upper_bound(key);
    ASSERT_EQ(table.valid(), next != entries.end());
    EXPECT_TRUE(!table.valid() || table.key() == next->first);
  }
  ASSERT_TRUE(table.Seek("").ok());
  EXPECT_EQ(table.value(), "header");
  ASSERT_TRUE(table.Seek("zzz").ok());
  EXPECT_FALSE(table.valid());
}

TEST(Table, EmptyTable) {
  ScratchDir dir;
  WriteTable(dir / "t", {});
  EXPECT_TRUE(ReadTable(dir / "t").value().empty());
}

TEST(Table, ReadsSnappyBlocks) {
  ScratchDir dir;
  const Entries entries = ManyEntries(3000);
  leveldb::WritableFile* file = nullptr;
  ASSERT_TRUE(leveldb::Env::Default()->NewWritableFile(dir / "t", &file).ok());
  leveldb::Options options;
  options.compression = leveldb::kSnappyCompression;
  leveldb::TableBuilder builder(options, file);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  ASSERT_TRUE(builder.Finish().ok());
  ASSERT_TRUE(file->Close().ok());
  delete file;
  EXPECT_LT(GetFileIdentity(dir / "t")->size, 60000u);
  EXPECT_EQ(ReadTable(dir / "t").value(), entries);
}

TEST(Table, KeysMustAscend) {
  ScratchDir dir;
  TableWriter table = TableWriter::Create(dir / "t").value();
  ASSERT_TRUE(table.Add("b", "").ok());
  EXPECT_TRUE(IsInternal(table.Add("a", "")));
  EXPECT_TRUE(IsInternal(table.Add("b", "")));
}

Status Read(const std::string& bytes) {
  ScratchDir dir;
  EXPECT_TRUE(AtomicWriteFile(dir / "t", bytes).ok());
  return ReadTable(dir / "t").status();
}

void ExpectDataLoss(const std::string& bytes, std::string_view message) {
  const Status status = Read(bytes);
  EXPECT_TRUE(IsDataLoss(status)) << status.ToString();
  EXPECT_NE(status.message().find(message), std::string::npos) << status.message();
}

TEST(HostileTable, FileFooterAndHandles) {
  EXPECT_TRUE(Read(TableOf(BlockOf(Entry(0, "k", "v")))).ok());
  ExpectDataLoss("", "file is too short to be an sstable");
  ExpectDataLoss(std::string(47, 'x'), "file is too short to be an sstable");
  ExpectDataLoss(std::string(48, 'x'), "not an sstable (bad magic number)");
  ExpectDataLoss(FooterOf(Handle(1 << 20, 10)), "truncated block read");
  ExpectDataLoss(FooterOf(Handle(0, (uint64_t{1} << 63) - 1)), "truncated block read");
  ExpectDataLoss(FooterOf(Handle(UINT64_MAX, UINT64_MAX)), "truncated block read");
  ExpectDataLoss(FooterOf(std::string(11, '\xFF')), "bad block handle in the footer");
  const std::string block = BlockOf(Entry(0, "k", "v"));
  for (const std::string& handle :
       {std::string(11, '\xFF'), std::string(), Handle(0, block.size()) + "x"}) {
    ExpectDataLoss(TableOf(block, 0, Entry(0, "zz", handle)), "bad block handle");
  }
  ExpectDataLoss(TableOf(block, 0, Entry(0, "zz", Handle(0, (uint64_t{1} << 63) - 1))),
                 "truncated block read");
  ExpectDataLoss(TableOf(block, 0, Entry(0, "a", Handle(0, block.size()))),
                 "greater than the block's key");
}

TEST(HostileTable, Blocks) {
  ExpectDataLoss(TableOf(BlockOf(Entry(0, "k", "v")), 7), "bad block type 7");
  ExpectDataLoss(TableOf(BlockOf(Entry(0, "k", "v")), 1), "corrupted compressed block");
  ExpectDataLoss(TableOf(std::string("\xFF\xFF\xFF\xFF\x0F", 5) + "garbage", 1),
                 "corrupted compressed block");
  ExpectDataLoss(TableOf(""), "bad entry in block");
  ExpectDataLoss(TableOf(BlockOf(Entry(0, "k", "v"), {})), "0 restarts");
  std::string many = BlockOf(Entry(0, "k", "v"));
  many.replace(many.size() - 4, 4, "\xFF\xFF\xFF\x7F");
  ExpectDataLoss(TableOf(many), "2147483647 restarts");
  ExpectDataLoss(TableOf(BlockOf(Entry(0, "k", "v"), {1})), "first restart is not at 0");
  ExpectDataLoss(TableOf(BlockOf(Entry(0, "k", "v"), {0, 2})), "a restart is not at an entry");
  ExpectDataLoss(TableOf(BlockOf(Entry(0, "k", "v"), {0, 0})), "a restart is not at an entry");
  ExpectDataLoss(TableOf(BlockOf(Entry(5, "k", "v"))),
                 "shares more bytes than the previous key has");
  ExpectDataLoss(TableOf(BlockOf(Entry(0, "kk", "") + Entry(3, "k", ""))),
                 "shares more bytes than");
  ExpectDataLoss(TableOf(BlockOf(Entry(0, "k", "") + Entry(0, "k", ""))), "not in ascending order");
  ExpectDataLoss(TableOf(BlockOf(Entry(0, "k", "") + Entry(0, "a", ""))), "not in ascending order");
  ExpectDataLoss(TableOf(BlockOf(Entry(0, "kb", "") + Entry(1, "a", ""))),
                 "not in ascending order");
  ExpectDataLoss(TableOf(BlockOf(std::string("\0\x7F\x7Fk", 4))), "lengths that do not fit");
  ExpectDataLoss(TableOf(BlockOf(std::string(11, '\xFF') + "k")), "lengths that do not fit");
  std::string damaged = TableOf(BlockOf(Entry(0, "k", "v")));
  damaged[1] ^= 1;
  ExpectDataLoss(damaged, "block checksum mismatch");
}

TEST(HostileTable, OneBlockNamedManyTimesIsNotReadManyTimes) {
  const std::string block = BlockOf(Entry(0, "a", std::string(1000, 'v')));
  std::string index;
  for (int i = 0; i < 1000; ++i) index += Entry(0, StrCat("b", 1000 + i), Handle(0, block.size()));
  ExpectDataLoss(TableOf(block, 0, index), "from block to block");
}

}  // namespace
}  // namespace ramet
