#include "ramet/runtime/passes/pass_selection.h"

#include <cstdlib>

#include "ramet/base/strings.h"
#include "ramet/runtime/passes/plan_pass.h"

namespace ramet {
namespace {

// Returns the bit of a pass.
StatusOr<uint64_t> BitOf(std::string_view name, std::string_view where) {
  std::vector<std::string_view> names;
  for (const PlanPass& pass : AllPasses()) {
    if (pass.name == name) return uint64_t{1} << names.size();
    names.push_back(pass.name);
  }
  return InvalidArgument(where, " names the pass '", name,
                         "', which does not exist; the passes are ", StrJoin(names, ", "));
}

std::vector<std::string_view> SplitList(std::string_view text) {
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    if (!item.empty()) items.push_back(item);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return items;
}

}  // namespace

StatusOr<PassSelection> PassSelection::Make(const std::vector<std::string>& disabled) {
  PassSelection selection;
  const char* const text = std::getenv("RAMET_PASSES");
  if (text != nullptr) RAMET_RETURN_IF_ERROR(selection.ApplyText(text));
  for (const std::string& name : disabled) {
    RAMET_RETURN_IF_ERROR(selection.Disable(name, "disabled_passes"));
  }
  return selection;
}

void PassSelection::KeepExact() {
  uint64_t bit = 1;
  for (const PlanPass& pass : AllPasses()) {
    if (!pass.exact) mask_ &= ~bit;
    bit <<= 1;
  }
}

Status PassSelection::ApplyText(std::string_view text) {
  if (text == "all") return OkStatus();
  uint64_t kept = 0;
  bool keeps = text == "none";
  for (std::string_view item : SplitList(text == "none" ? "" : text)) {
    if (item.starts_with('-')) {
      RAMET_RETURN_IF_ERROR(Disable(item.substr(1), "RAMET_PASSES"));
      continue;
    }
    RAMET_ASSIGN_OR_RETURN(const uint64_t bit, BitOf(item, "RAMET_PASSES"));
    kept |= bit;
    keeps = true;
  }
  if (keeps) mask_ &= kept;
  return OkStatus();
}

Status PassSelection::Disable(std::string_view name, std::string_view where) {
  if (name == "all") {
    mask_ = 0;
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(const uint64_t bit, BitOf(name, where));
  mask_ &= ~bit;
  return OkStatus();
}

}  // namespace ramet
