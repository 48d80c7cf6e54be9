#include "ramet/base/largest_users.h"

#include <algorithm>
#include <functional>

#include "ramet/base/strings.h"

namespace ramet {
namespace {

constexpr size_t kMaxNamedUsers = 3;

}  // namespace

void LargestUsers::Add(std::string_view user, uint64_t amount) {
  const auto known = std::ranges::find(largest_, user, &Use::user);
  if (known != largest_.end()) {
    known->amount += amount;
  } else if (largest_.size() < kMaxNamedUsers || largest_.back().amount < amount) {
    largest_.push_back({std::string(user), amount});
  } else {
    others_ += amount;
  }
  std::ranges::sort(largest_, std::greater(), &Use::amount);
  if (largest_.size() <= kMaxNamedUsers) return;
  others_ += largest_.back().amount;
  largest_.pop_back();
}

std::string LargestUsers::Text(std::string_view unit) const {
  std::vector<std::string> texts;
  for (const Use& use : largest_) {
    texts.push_back(StrCat("'", use.user, "' (", use.amount, " ", unit, ")"));
  }
  if (others_ > 0) texts.push_back(StrCat("others (", others_, " ", unit, ")"));
  return StrJoin(texts, ", ");
}

}  // namespace ramet
