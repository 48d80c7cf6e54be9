#include "ramet/format/table_format.h"

#include <gtest/gtest.h>

#include <string>

#include "ramet/format/table_testing.h"

namespace ramet {
namespace {

TEST(BlockHandle, IsTakenFromTheFront) {
  const std::string bytes = table_testing::Handle(300, 5) + "rest";
  std::string_view left = bytes;
  BlockHandle handle;
  ASSERT_TRUE(handle.TakeFrom(&left));
  EXPECT_EQ(handle, (BlockHandle{300, 5}));
  EXPECT_EQ(left, "rest");
  std::string_view cut = std::string_view(bytes).substr(0, 2);
  EXPECT_FALSE(handle.TakeFrom(&cut));
}

TEST(Footer, HasTwoHandlesAndTheMagicNumber) {
  std::string bytes = table_testing::FooterOf(table_testing::Handle(1 << 20, 77));
  ASSERT_EQ(bytes.size(), Footer::kBytes);
  const Footer footer = Footer::Decode(bytes, 0).value();
  EXPECT_EQ(footer.metaindex, (BlockHandle{0, 0}));
  EXPECT_EQ(footer.index, (BlockHandle{1 << 20, 77}));
  bytes.back() ^= 1;
  EXPECT_TRUE(IsDataLoss(Footer::Decode(bytes, 0).status()));
  bytes.back() ^= 1;
  bytes.replace(0, 40, 40, '\xFF');
  EXPECT_TRUE(IsDataLoss(Footer::Decode(bytes, 0).status()));
}

}  // namespace
}  // namespace ramet
