#include "ramet/format/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "ramet/base/file.h"
#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;

class Safetensors : public ::testing::Test {
 protected:
  static std::string File(std::string_view json, std::string_view data) {
    std::string file(8, '\0');
    const uint64_t length = json.size();
    std::memcpy(file.data(), &length, 8);
    return file.append(json).append(data);
  }
  // Returns the error of opening a file of these bytes, or OK.
  Status Opened(std::string_view bytes) {
    EXPECT_TRUE(AtomicWriteFile(path_, bytes).ok());
    return SafetensorsReader::Open(path_).status();
  }
  std::string Refused(std::string_view bytes) {
    const Status status = Opened(bytes);
    EXPECT_TRUE(IsDataLoss(status)) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr(path_));
    return status.message();
  }

  ScratchDir dir_;
  std::string path_ = dir_.path() + "/x.safetensors";
};

// Hand-written bytes that follow the format's description.
TEST_F(Safetensors, ReadsTheFormat) {
  ASSERT_TRUE(Opened(File(R"({"__metadata__":{"format":"pt"},
      "b\u00e9\ud83d\ude00": {"shape":[2],"dtype":"I16","data_offsets":[4,8]},
      "a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},
      "none":{"dtype":"F64","shape":[0,3],"data_offsets":[8,8]}}  )",
                          std::string_view("\0\0\x80\x3f\1\0\xff\xff", 8)))
                  .ok());
  auto reader = SafetensorsReader::Open(path_).value();
  EXPECT_EQ(reader.metadata().at("format"), "pt");
  ASSERT_EQ(reader.entries().size(), 3u);
  EXPECT_EQ(reader.Read("a").value().scalar<float>(), 1.0f);
  EXPECT_TRUE(
      reader.Read("b\u00e9\U0001F600").value().BitwiseEquals(Tensor::Vector<int16_t>({1, -1})));
  EXPECT_EQ(reader.Read("none").value().shape(), (Shape{0, 3}));
  EXPECT_TRUE(IsNotFound(reader.Read("c").status()));
}

TEST_F(Safetensors, TheBytesOfAFile) {
  auto writer = SafetensorsWriter::Create(path_, {{"t", DType::kBool, Shape{1}},
                                                  {"a\"b", DType::kFloat, Shape{}},
                                                  {"a", DType::kFloat, Shape{1, 1}}})
                    .value();
  EXPECT_EQ(writer.entries()[0].name, "a");
  ASSERT_TRUE(writer.Add(Tensor::Of<float>({1, 1}, {1.0f})).ok());
  EXPECT_TRUE(IsInvalidArgument(writer.Add(Tensor(1.0))));
  ASSERT_TRUE(writer.Add(Tensor(-2.0f)).ok());
  EXPECT_TRUE(IsFailedPrecondition(writer.Finish()));
  ASSERT_TRUE(writer.Add(Tensor::Vector<bool>({true})).ok());
  ASSERT_TRUE(writer.Finish().ok());
  std::string json = R"({"a":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]},)"
                     R"("a\"b":{"dtype":"F32","shape":[],"data_offsets":[4,8]},)"
                     R"("t":{"dtype":"BOOL","shape":[1],"data_offsets":[8,9]}})";
  json.append((8 - json.size() % 8) % 8, ' ');
  EXPECT_EQ(ReadFile(path_).value(), File(json, std::string_view("\0\0\x80\x3f\0\0\0\xc0\1", 9)));
}

TEST_F(Safetensors, EveryDtypeRoundTrips) {
  std::vector<SafetensorsEntry> entries;
  for (DType dtype : {kHalf, kBFloat16, kFloat, kDouble, kInt8, kInt16, kInt32, kInt64, kUInt8,
                      kUInt16, kUInt32, kUInt64, kComplex64, kBool}) {
    entries.push_back({DTypeName(dtype), dtype, Shape{2, 3}});
  }
  auto writer = SafetensorsWriter::Create(path_, entries, {{"k", "v\n"}}).value();
  auto value = [](DType dtype) {
    Tensor tensor(dtype, {2, 3});
    for (size_t i = 0; i < tensor.bytes(); ++i) {
      static_cast<char*>(tensor.raw_data())[i] = static_cast<char>(dtype == kBool ? i & 1 : i);
    }
    return tensor;
  };
  for (const auto& entry : writer.entries()) ASSERT_TRUE(writer.Add(value(entry.dtype)).ok());
  ASSERT_TRUE(writer.Finish().ok());
  auto reader = SafetensorsReader::Open(path_).value();
  EXPECT_EQ(reader.metadata().at("k"), "v\n");
  for (const auto& entry : entries) {
    EXPECT_TRUE(reader.Read(entry.name).value().BitwiseEquals(value(entry.dtype))) << entry.name;
  }
}

TEST_F(Safetensors, AnAbandonedFileLeavesTheOldOne) {
  ASSERT_TRUE(AtomicWriteFile(path_, "old").ok());
  {
    auto writer = SafetensorsWriter::Create(path_, {{"a", kFloat, Shape{}}}).value();
    ASSERT_TRUE(writer.Add(Tensor(1.0f)).ok());
  }
  EXPECT_EQ(ReadFile(path_).value(), "old");
  EXPECT_TRUE(RemoveFile(path_).ok());
}

TEST_F(Safetensors, UnsupportedNamesAndTypes) {
  auto create = [&](std::vector<SafetensorsEntry> entries) {
    return SafetensorsWriter::Create(path_, std::move(entries)).status();
  };
  EXPECT_TRUE(IsUnimplemented(create({{"s", kString, Shape{}}})));
  EXPECT_TRUE(IsUnimplemented(create({{"s", kComplex128, Shape{}}})));
  EXPECT_TRUE(IsInvalidArgument(create({{"__metadata__", kFloat, Shape{}}})));
  EXPECT_TRUE(IsInvalidArgument(create({{"\xff", kFloat, Shape{}}})));
  EXPECT_TRUE(IsInvalidArgument(create({{"a", kFloat, Shape{}}, {"a", kInt32, Shape{}}})));
  EXPECT_FALSE(FileExists(path_));
}

TEST_F(Safetensors, DamagedFilesAreRefused) {
  auto one = [](std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return StrCat(R"({"a":{"dtype":")", dtype, R"(","shape":)", shape, R"(,"data_offsets":)",
                  offsets, "}}");
  };
  const std::string good = File(one("F32", "[1]", "[0,4]"), "1234");
  ASSERT_TRUE(Opened(good).ok());
  EXPECT_THAT(Refused(""), HasSubstr("0 bytes"));
  EXPECT_THAT(Refused("1234567"), HasSubstr("7 bytes"));
  for (size_t n = 8; n < good.size(); ++n) Refused(good.substr(0, n));
  EXPECT_THAT(Refused(good + "x"), HasSubstr("take 4 bytes, but the file has 5"));
  EXPECT_THAT(Refused(std::string(8, '\xff') + "{}"), HasSubstr("18446744073709551615"));
  std::string long_header(120'000'000, ' ');
  const uint64_t length = long_header.size() - 8;
  std::memcpy(long_header.data(), &length, 8);
  EXPECT_THAT(Refused(long_header), HasSubstr("the limit is 100000000"));
  EXPECT_THAT(Refused(File(" {}", "")), HasSubstr("must begin with '{'"));
  EXPECT_THAT(Refused(File("{\"\xff\":{}}", "")), HasSubstr("not UTF-8"));
  EXPECT_THAT(Refused(File(one("F32", "[1]", "[0,4]").substr(0, 40), "1234")), HasSubstr("offset"));
  EXPECT_THAT(Refused(File(one("F31", "[1]", "[0,4]"), "1234")), HasSubstr("unknown dtype 'F31'"));
  EXPECT_THAT(Refused(File(one("F32", "[-1]", "[0,4]"), "1234")), HasSubstr("whole number"));
  EXPECT_THAT(Refused(File(one("F32", "[1.0]", "[0,4]"), "1234")), HasSubstr("expected"));
  EXPECT_THAT(Refused(File(one("F32", "[99999999999999999999]", "[0,4]"), "1234")),
              HasSubstr("2^63"));
  EXPECT_THAT(Refused(File(one("U8", "[4194305,4194305,211106198978564]", "[0,4]"), "1234")),
              HasSubstr("'a'"));
  EXPECT_THAT(Refused(File(one("F32", "[2]", "[0,4]"), "1234")), HasSubstr("takes 8 bytes"));
  EXPECT_THAT(Refused(File(one("F32", "[1]", "[4,0]"), "1234")), HasSubstr("[4, 0]"));
  EXPECT_THAT(Refused(File(one("F32", "[1]", "[0,4,8]"), "1234")), HasSubstr("more than 2"));
  EXPECT_THAT(Refused(File(one("F32", "[1]", "[4,8]"), "12345678")), HasSubstr("gap"));
  const std::string a = R"("a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
  const std::string b = R"("b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]})";
  EXPECT_THAT(Refused(File(StrCat("{", a, ",", b, "}"), "123456")), HasSubstr("overlap"));
  EXPECT_THAT(Refused(File(StrCat("{", a, ",", a, "}"), "1234")), HasSubstr("appears twice"));
  EXPECT_THAT(Refused(File(StrCat("{", a, "}x"), "1234")), HasSubstr("after the object"));
  EXPECT_THAT(Refused(File(R"({"a":{"dtype":"U8","shape":[0]}})", "")), HasSubstr("needs dtype"));
  EXPECT_THAT(Refused(File(R"({"a":{"dtype":"U8","dtype":"U8"}})", "")),
              HasSubstr("appears twice"));
  EXPECT_THAT(Refused(File(R"({"a":{"x":"U8"}})", "")), HasSubstr("unknown key 'x'"));
  EXPECT_THAT(Refused(File(R"({"\ud800":{}})", "")), HasSubstr("surrogate"));
  EXPECT_THAT(Refused(File(R"({"__metadata__":{"a":1}})", "")), HasSubstr("expected"));
  Refused(File("{" + std::string(100'000, '['), ""));
  EXPECT_TRUE(IsUnimplemented(Opened(File(one("F8_E4M3", "[4]", "[0,4]"), "1234"))));
  ASSERT_TRUE(Opened(File(one("BOOL", "[4]", "[0,4]"), std::string_view("\0\1\2\0", 4))).ok());
  EXPECT_TRUE(IsDataLoss(SafetensorsReader::Open(path_).value().Read("a").status()));
}

}  // namespace
}  // namespace ramet
