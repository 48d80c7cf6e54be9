#include "ramet/op/hidden_op.h"

#include <functional>
#include <set>
#include <string>

namespace ramet {
namespace {

std::set<std::string, std::less<>>& HiddenNames() {
  static auto* const names = new std::set<std::string, std::less<>>;
  return *names;
}

}  // namespace

HiddenOp::HiddenOp(std::string_view name) { HiddenNames().emplace(name); }

bool HiddenOp::Contains(std::string_view name) { return HiddenNames().contains(name); }

}  // namespace ramet
