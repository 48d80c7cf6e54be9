#include "ramet/data/mnist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ramet/base/file.h"
#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kNames[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                  "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

std::string Images(int n) {
  std::string content = {0, 0, 8, 3, 0, 0, 0, static_cast<char>(n), 0, 0, 0, 1, 0, 0, 0, 2};
  for (int i = 0; i < n; ++i) content += {static_cast<char>(i), '\xFF'};
  return content;
}

std::string Labels(int n) {
  std::string content = {0, 0, 8, 1, 0, 0, 0, static_cast<char>(n)};
  for (int i = 0; i < n; ++i) content += static_cast<char>(i % 10);
  return content;
}

// Twelve training images and four test images of 1 x 2 pixels. Image i is [i, 255] and its label is
// i % 10.
class MnistTest : public ::testing::Test {
 protected:
  MnistTest() {
    Write(0, Images(12));
    Write(1, Labels(12));
    Write(2, Images(4));
    Write(3, Labels(4));
  }
  void Write(int file, const std::string& content) {
    ASSERT_TRUE(AtomicWriteFile(dir_ / kNames[file], content).ok());
  }
  StatusOr<Mnist> Read(Mnist::Options options = {}) {
    if (options.validation_size == 5000) options.validation_size = 2;
    return Mnist::Read(dir_.path(), options);
  }
  void ExpectDataLoss(const std::string& message) {
    Status status = Read().status();
    EXPECT_TRUE(IsDataLoss(status)) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr(message));
  }
  ScratchDir dir_;
};

// Returns the numbers of the images in a batch, which are their first pixels.
std::vector<int> Ids(const Tensor& images) {
  std::vector<int> ids;
  for (int64_t i = 0; i < images.dim(0); ++i) ids.push_back(images.data<uint8_t>()[2 * i]);
  return ids;
}
std::vector<int> Ids(const Batch& batch) { return Ids(batch.images); }

TEST_F(MnistTest, SplitsAsTheTutorialsDo) {
  Mnist mnist = Read({.dtype = kUInt8}).value();
  EXPECT_EQ(mnist.train.num_examples(), 10);
  EXPECT_THAT(Ids(mnist.validation.images()), ElementsAre(0, 1));
  EXPECT_THAT(Ids(mnist.train.images()), ElementsAre(2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_THAT(Ids(mnist.test.images()), ElementsAre(0, 1, 2, 3));
}

TEST_F(MnistTest, OneHotFloatBatches) {
  Mnist mnist = Read({.one_hot = true}).value();
  auto [images, labels] = mnist.train.NextBatch(3, false);
  EXPECT_EQ(images.shape(), (Shape{3, 2}));
  EXPECT_THAT(images.flat<float>(),
              ElementsAre(2 * (1 / 255.0f), 1, 3 * (1 / 255.0f), 1, 4 * (1 / 255.0f), 1));
  EXPECT_EQ(labels.shape(), (Shape{3, 10}));
  EXPECT_THAT(labels.flat<float>().first(20),
              ElementsAre(0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0));
}

TEST_F(MnistTest, ClassNumbersAndUnreshapedPixels) {
  Mnist mnist = Read({.dtype = kUInt8, .reshape = false}).value();
  auto [images, labels] = mnist.train.NextBatch(10, false);
  EXPECT_EQ(images.shape(), (Shape{10, 1, 2, 1}));
  EXPECT_EQ(images.dtype(), kUInt8);
  EXPECT_THAT(labels.flat<int64_t>(), ElementsAre(2, 3, 4, 5, 6, 7, 8, 9, 0, 1));
}

// The expected orders come from NumPy: numpy.random.seed(42) and TensorFlow's next_batch.
TEST_F(MnistTest, ASeedGivesNumPysOrder) {
  Mnist mnist = Read({.dtype = kUInt8, .seed = 42}).value();
  EXPECT_THAT(Ids(mnist.train.NextBatch(4)), ElementsAre(10, 3, 7, 2));
  EXPECT_THAT(Ids(mnist.train.NextBatch(4)), ElementsAre(9, 4, 11, 6));
  EXPECT_EQ(mnist.train.epochs_completed(), 0);
  EXPECT_THAT(Ids(mnist.train.NextBatch(4)), ElementsAre(5, 8, 10, 3));
  EXPECT_EQ(mnist.train.epochs_completed(), 1);
  EXPECT_THAT(Ids(mnist.test.NextBatch(3)), ElementsAre(3, 2, 1));
  EXPECT_THAT(Ids(mnist.train.NextBatch(4)), ElementsAre(5, 4, 2, 9));
  EXPECT_THAT(Ids(mnist.train.NextBatch(4)), ElementsAre(6, 8, 11, 7));
  EXPECT_THAT(Ids(mnist.train.NextBatch(4)), ElementsAre(7, 5, 11, 6));
  EXPECT_EQ(mnist.train.epochs_completed(), 2);
}

TEST_F(MnistTest, AnEpochThatEndsWithABatchIsCountedByTheNext) {
  Mnist mnist = Read({.dtype = kUInt8, .seed = 42}).value();
  EXPECT_THAT(Ids(mnist.train.NextBatch(10)), ElementsAre(10, 3, 7, 2, 9, 4, 11, 6, 5, 8));
  EXPECT_EQ(mnist.train.epochs_completed(), 0);
  EXPECT_THAT(Ids(mnist.train.NextBatch(10)), ElementsAre(10, 3, 5, 4, 2, 9, 6, 8, 11, 7));
  EXPECT_EQ(mnist.train.epochs_completed(), 1);
}

TEST_F(MnistTest, WithoutShuffleTheOrderStays) {
  Mnist mnist = Read({.dtype = kUInt8}).value();
  EXPECT_THAT(Ids(mnist.train.NextBatch(8, false)), ElementsAre(2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(Ids(mnist.train.NextBatch(4, false)), ElementsAre(10, 11, 2, 3));
}

TEST_F(MnistTest, ImagesAndLabelsStayTogether) {
  Mnist mnist = Read({.dtype = kUInt8}).value();
  for (int i = 0; i < 20; ++i) {
    auto [images, labels] = mnist.train.NextBatch(7);
    for (int k = 0; k < 7; ++k) EXPECT_EQ(Ids(images)[k] % 10, labels.flat<int64_t>()[k]);
  }
  std::vector<int> ids = Ids(mnist.train.images());
  EXPECT_EQ(std::set<int>(ids.begin(), ids.end()).size(), 10u);
  EXPECT_EQ(mnist.train.labels().flat<int64_t>()[0], ids[0] % 10);
}

TEST_F(MnistTest, UnusualBatchSizes) {
  Mnist mnist = Read({.dtype = kUInt8}).value();
  EXPECT_EQ(mnist.train.NextBatch(0).images.shape(), (Shape{0, 2}));
  EXPECT_EQ(mnist.train.NextBatch(-1).images.shape(), (Shape{0, 2}));
  EXPECT_EQ(mnist.train.NextBatch(25).images.shape(), (Shape{25, 2}));
  EXPECT_EQ(mnist.train.epochs_completed(), 2);
  Mnist all = Read({.validation_size = 12}).value();
  EXPECT_EQ(all.train.NextBatch(3).images.shape(), (Shape{0, 2}));
}

TEST_F(MnistTest, GzippedNamesComeFirst) {
  ASSERT_TRUE(AtomicWriteFile(dir_ / "t10k-labels-idx1-ubyte.gz", Labels(4)).ok());
  Write(3, "not looked at");
  EXPECT_TRUE(Read().ok());
}

TEST_F(MnistTest, MissingFilesAreExplained) {
  ASSERT_TRUE(RemoveFile(dir_ / kNames[1]).ok());
  Status status = Read().status();
  EXPECT_TRUE(IsNotFound(status));
  EXPECT_THAT(status.message(), HasSubstr("train-labels-idx1-ubyte not found"));
  for (const char* name : kNames) EXPECT_THAT(status.message(), HasSubstr(name));
  EXPECT_THAT(status.message(), HasSubstr("folder '" + dir_.path() + "'"));
  EXPECT_THAT(status.message(), HasSubstr("dataset-fashion-mnist"));
  EXPECT_THAT(status.message(), Not(HasSubstr("no such folder")));
  Status folder = Mnist::Read(dir_ / "nowhere").status();
  EXPECT_THAT(folder.message(), HasSubstr("no such folder"));
  for (const char* name : kNames) {
    const size_t first = folder.message().find(name);
    EXPECT_NE(first, std::string::npos) << name;
    EXPECT_EQ(folder.message().find(name, first + 1), std::string::npos) << folder.message();
  }
}

TEST_F(MnistTest, DamagedFiles) {
  Write(1, Labels(11));
  ExpectDataLoss(StrCat("file '", dir_ / kNames[0], "': offset 4: 12 images"));
  std::string labels = Labels(12);
  labels[13] = 10;
  Write(1, labels);
  ExpectDataLoss(StrCat("file '", dir_ / kNames[1], "': offset 13: label 10, expected 0 to 9"));
  Write(1, Images(12));
  ExpectDataLoss("offset 3: rank 3, expected 1");
  Write(1, Labels(12));
  Write(0, Images(12).substr(0, 30));
  ExpectDataLoss("truncated");
}

TEST_F(MnistTest, OptionsThatTheDataDoesNotAllow) {
  EXPECT_TRUE(IsInvalidArgument(Read({.validation_size = 13}).status()));
  EXPECT_TRUE(IsInvalidArgument(Read({.validation_size = -1}).status()));
  EXPECT_TRUE(IsInvalidArgument(Read({.dtype = kDouble}).status()));
  EXPECT_TRUE(IsInvalidArgument(Read({.num_classes = 0}).status()));
  EXPECT_TRUE(IsDataLoss(Read({.num_classes = 9}).status()));
}

TEST(Mnist, FashionMnistFromDebian) {
  const std::string folder = "/usr/share/datasets/fashion-mnist";
  if (!FileExists(folder))
    GTEST_SKIP() << "skipped: Debian's dataset-fashion-mnist is not installed";
  Mnist mnist = Mnist::Read(folder, {.one_hot = true}).value();
  EXPECT_EQ(mnist.train.num_examples(), 55000);
  EXPECT_EQ(mnist.validation.num_examples(), 5000);
  EXPECT_EQ(mnist.test.num_examples(), 10000);
  auto [images, labels] = mnist.train.NextBatch(50);
  EXPECT_EQ(images.shape(), (Shape{50, 784}));
  EXPECT_EQ(labels.shape(), (Shape{50, 10}));
}

}  // namespace
}  // namespace ramet
