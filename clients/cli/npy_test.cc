#include "npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace cli {
namespace {

namespace rm = ramet;
using ::testing::HasSubstr;

class Npy : public ::testing::Test {
 protected:
  Npy() : path_(::testing::TempDir() + "npy_test_" + std::to_string(getpid()) + ".npy") {}
  ~Npy() override { std::filesystem::remove(path_); }

  void Write(std::string_view bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  std::string Bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // A version 1.0 file with this header text.
  static std::string File(std::string header, std::string_view data) {
    std::string file("\x93NUMPY\1\0", 8);
    file += static_cast<char>(header.size() & 255);
    file += static_cast<char>(header.size() >> 8);
    return file.append(header).append(data);
  }
  // Returns the error message of reading a file with these bytes, or "" if it can be read.
  std::string Error(std::string_view bytes) {
    Write(bytes);
    return ReadNpy(path_).status().message();
  }

  std::string path_;
};

TEST_F(Npy, RoundTripsEachDtype) {
  for (rm::DType dtype :
       {rm::kHalf, rm::kFloat, rm::kDouble, rm::kInt8, rm::kInt16, rm::kInt32, rm::kInt64,
        rm::kUInt8, rm::kUInt16, rm::kUInt32, rm::kUInt64, rm::kComplex64, rm::kComplex128}) {
    rm::Tensor tensor(dtype, {2, 3});
    for (size_t i = 0; i < tensor.bytes(); ++i)
      static_cast<char*>(tensor.raw_data())[i] = static_cast<char>(i);
    ASSERT_TRUE(WriteNpy(path_, tensor).ok());
    auto read = ReadNpy(path_);
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_TRUE(read->BitwiseEquals(tensor)) << rm::DTypeName(dtype);
  }
  for (const rm::Tensor& tensor : {rm::Tensor(1.5f), rm::Tensor::Vector<bool>({true, false}),
                                   rm::Tensor(rm::kFloat, {0, 4})}) {
    ASSERT_TRUE(WriteNpy(path_, tensor).ok());
    EXPECT_TRUE(ReadNpy(path_).value().BitwiseEquals(tensor)) << tensor.ToString();
  }
}

// numpy.save(f, numpy.array([1, 2], numpy.int32)), byte for byte.
TEST_F(Npy, WritesTheSameBytesAsNumPy) {
  std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }";
  header.append(117 - header.size(), ' ').append("\n");
  ASSERT_TRUE(WriteNpy(path_, rm::Tensor::Vector<int32_t>({1, 2})).ok());
  EXPECT_EQ(Bytes(), File(header, std::string_view("\1\0\0\0\2\0\0\0", 8)));
}

TEST_F(Npy, RejectsDamagedFilesWithTheOffset) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
  EXPECT_EQ(Error(File(good, "01234567")), "");
  EXPECT_THAT(Error(File(good, "0123456")), HasSubstr("takes 8 bytes, but the file has 7"));
  EXPECT_THAT(Error(File(good, "012345678")), HasSubstr("the file has 9"));
  EXPECT_THAT(Error(""), HasSubstr("is not a .npy file"));
  EXPECT_THAT(Error("\x93NUMPX\1\0aaaaaaaaaaa"), HasSubstr("is not a .npy file"));
  EXPECT_THAT(Error(std::string_view("\x93NUMPY\1\0\xff\xff{", 11)),
              HasSubstr("inside its header"));
  EXPECT_THAT(Error(std::string_view("\x93NUMPY\2\0\xff\xff", 10)), HasSubstr("inside its header"));
  EXPECT_THAT(Error(std::string_view("\x93NUMPY\4\0\xff\xff", 10)), HasSubstr("version 4"));
  for (const char* header :
       {"", "{", "{'descr'", "{'descr': '<f4'}", "{'descr': '<f4', 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}"}) {
    EXPECT_THAT(Error(File(header, "01234567")), HasSubstr("invalid header")) << header;
  }
  for (const char* shape :
       {"(99999999999999999999,)", "(9223372036854775807, 9)", "(4611686018427387904,)"}) {
    const std::string header =
        rm::StrCat("{'descr': '<f8', 'fortran_order': False, 'shape': ", shape, "}");
    EXPECT_NE(Error(File(header, "01234567")), "") << shape;
  }
  EXPECT_THAT(Error(File("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", "\1\2")),
              HasSubstr("the byte at offset 66 is not a bool"));
}

TEST_F(Npy, UnsupportedArraysNameTheNumPyCallThatHelps) {
  EXPECT_THAT(Error(File("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "0123")),
              HasSubstr("newbyteorder"));
  EXPECT_THAT(Error(File("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", "0123")),
              HasSubstr("ascontiguousarray"));
  EXPECT_THAT(Error(File("{'descr': '<U1', 'fortran_order': False, 'shape': (1,)}", "0123")),
              HasSubstr("astype"));
  EXPECT_TRUE(rm::IsUnimplemented(WriteNpy(path_, rm::Tensor("text"))));
  EXPECT_TRUE(rm::IsNotFound(ReadNpy(path_ + ".not_there").status()));
}

}  // namespace
}  // namespace cli
