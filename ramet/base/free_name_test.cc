#include "ramet/base/free_name.h"

#include <gtest/gtest.h>

#include <set>

namespace ramet {
namespace {

TEST(FreeName, ReturnsTheFirstNameThatIsNotTaken) {
  std::unordered_map<std::string, int> next_numbers;
  const std::set<std::string> names = {"a", "a_1", "a_3"};
  auto taken = [&](const std::string& name) { return names.contains(name); };
  EXPECT_EQ(FreeName("b", taken, &next_numbers), "b");
  EXPECT_EQ(FreeName("a", taken, &next_numbers), "a_2");
  EXPECT_EQ(FreeName("a", taken, &next_numbers), "a_2") << "a free name stays free";
}

TEST(FreeName, ManyEqualNamesTakeLinearTime) {
  constexpr int kNames = 1000;
  std::unordered_map<std::string, int> next_numbers;
  std::set<std::string> names;
  int asked = 0;
  auto taken = [&](const std::string& name) {
    ++asked;
    return names.contains(name);
  };
  for (int i = 0; i < kNames; ++i) names.insert(FreeName("a", taken, &next_numbers));
  EXPECT_EQ(names.size(), size_t{kNames});
  EXPECT_TRUE(names.contains("a_999"));
  EXPECT_LE(asked, 3 * kNames);
}

}  // namespace
}  // namespace ramet
