#include "ramet/edit/clone/dtypes.h"

#include "ramet/edit/clone/fixed_dtypes.h"
#include "ramet/edit/clone/handle_makers.h"

namespace ramet {

CloneDtypes::CloneDtypes(const CloneSelection& selection, const CloneDtype& dtype)
    : selection_(selection),
      none_(dtype.none()),
      rules_(selection, dtype),
      changes_(selection),
      casts_(selection) {}

Status CloneDtypes::EvaluateRules() { return none_ ? OkStatus() : rules_.Evaluate(); }

Status CloneDtypes::Plan() {
  if (none_) return OkStatus();
  rules_.UnifyLoops();
  FixedDtypes fixed(selection_);
  const HandleMakers makers(selection_);
  RAMET_RETURN_IF_ERROR(changes_.Plan(rules_, makers, &fixed));
  return casts_.Plan(changes_, makers);
}

}  // namespace ramet
