#include "npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace cli {
namespace {

namespace rm = ramet;
using ::testing::HasSubstr;

class Npz : public ::testing::Test {
 protected:
  Npz() : path_(::testing::TempDir() + "npz_test_" + std::to_string(getpid()) + ".npz") {}
  ~Npz() override { std::filesystem::remove(path_); }

  std::string Bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  void WriteTwo(bool compress) {
    auto writer = NpzWriter::Create(path_, compress).value();
    ASSERT_TRUE(writer.Add("scope/a", rm::Tensor::Vector<float>({1, 2, 3})).ok());
    ASSERT_TRUE(writer.Add("b", rm::Tensor(rm::kInt8, {0, 2})).ok());
    ASSERT_TRUE(writer.Finish().ok());
  }
  // Opens the file and reads all its arrays. Returns the first error.
  rm::Status ReadAll() {
    auto reader = NpzReader::Open(path_);
    if (!reader.ok()) return reader.status();
    for (const NpzMember& member : reader->members()) {
      if (auto tensor = reader->Read(member.name); !tensor.ok()) return tensor.status();
    }
    return rm::OkStatus();
  }

  std::string path_;
};

TEST_F(Npz, RoundTrips) {
  for (bool compress : {false, true}) {
    WriteTwo(compress);
    auto reader = NpzReader::Open(path_).value();
    ASSERT_EQ(reader.members().size(), 2u);
    EXPECT_EQ(reader.members()[0].name, "scope/a");
    EXPECT_EQ(reader.members()[1].shape, (rm::Shape{0, 2}));
    EXPECT_TRUE(reader.Read("scope/a").value().BitwiseEquals(rm::Tensor::Vector<float>({1, 2, 3})));
    EXPECT_TRUE(rm::IsNotFound(reader.Read("c").status()));
  }
}

TEST_F(Npz, UnfinishedFileKeepsTheOldOne) {
  Write("old");
  {
    auto writer = NpzWriter::Create(path_, false).value();
    ASSERT_TRUE(writer.Add("a", rm::Tensor(1.0f)).ok());
    EXPECT_TRUE(rm::IsUnimplemented(writer.Add("s", rm::Tensor("text"))));
    EXPECT_TRUE(rm::IsInvalidArgument(writer.Add("", rm::Tensor(1.0f))));
  }
  EXPECT_EQ(Bytes(), "old");
}

// Damaging any byte or truncating the file must not crash. The CRC-32 finds damage in the data.
TEST_F(Npz, RejectsDamagedFiles) {
  for (bool compress : {false, true}) {
    WriteTwo(compress);
    const std::string good = Bytes();
    ASSERT_TRUE(ReadAll().ok());
    for (size_t n = 0; n < good.size(); n += 7) {
      Write(good.substr(0, n));
      EXPECT_FALSE(ReadAll().ok()) << n;
    }
    for (size_t i = 0; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (i % 2 ? '\xff' : '\x01'));
      Write(bad);
      ReadAll().IgnoreError();
    }
  }
  WriteTwo(false);
  std::string bad = Bytes();
  bad[bad.find("scope/a.npy") + 11 + 128] ^= 1;
  Write(bad);
  EXPECT_TRUE(rm::IsDataLoss(ReadAll()));
  EXPECT_THAT(ReadAll().message(), HasSubstr("'scope/a.npy' has the CRC-32"));
}

TEST_F(Npz, RejectsUnsupportedFiles) {
  Write("not a zip file, but long enough to hold an end record");
  EXPECT_THAT(ReadAll().message(), HasSubstr("no end record"));
  WriteTwo(false);
  std::string encrypted = Bytes();
  encrypted[encrypted.find("PK\1\2") + 8] |= 1;
  Write(encrypted);
  EXPECT_THAT(ReadAll().message(), HasSubstr("encrypted"));
  WriteTwo(false);
  std::string method = Bytes();
  method[method.find("PK\1\2") + 10] = 12;
  Write(method);
  EXPECT_THAT(ReadAll().message(), HasSubstr("compression method 12"));
  WriteTwo(true);
  std::string bomb = Bytes();
  bomb[bomb.find("PK\1\2") + 27] = 0x7f;
  Write(bomb);
  EXPECT_THAT(ReadAll().message(), HasSubstr("cannot expand to"));
  WriteTwo(false);
  EXPECT_TRUE(rm::IsNotFound(NpzReader::Open(path_ + ".not_there").status()));
}

// A deflated file of a few kilobytes can hold an array of many megabytes.
TEST_F(Npz, VerifiesWithoutHoldingTheArray) {
  const int64_t n = int64_t{64} << 20;
  {
    auto writer = NpzWriter::Create(path_, true).value();
    rm::Tensor large(rm::kBool, {n});
    std::memset(large.raw_data(), 1, large.bytes());
    ASSERT_TRUE(writer.Add("large", large).ok());
    ASSERT_TRUE(writer.Finish().ok());
  }
  auto reader = NpzReader::Open(path_).value();
  const int64_t before = rm::GetHostAllocatorStats().system_allocations;
  const auto largest = [] {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6));
    }
    return 0LL;
  };
  const long long resident = largest();
  EXPECT_TRUE(reader.Verify("large").ok());
  EXPECT_LT(largest() - resident, 16 << 10);
  EXPECT_LE(rm::GetHostAllocatorStats().system_allocations - before, 4);
  EXPECT_TRUE(rm::IsNotFound(reader.Verify("small")));
}

}  // namespace
}  // namespace cli
