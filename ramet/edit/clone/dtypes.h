#pragma once

#include "ramet/edit/clone/cast_plan.h"
#include "ramet/edit/clone/dtype_changes.h"
#include "ramet/edit/clone/dtype_rules.h"

namespace ramet {

// A CloneDtypes determines the dtypes of a clone (CloneOptions::dtype): new attrs of operations,
// and edges that get a Cast. Everything refers to the source, which does not change.
class CloneDtypes {
 public:
  CloneDtypes(const CloneSelection& selection, const CloneDtype& dtype);

  // Reports whether there are no rules. Then nothing below does anything.
  bool none() const { return none_; }
  // Evaluates the rules. Holds no lock, since a rule may call the program.
  // \error kInvalidArgument: a rule is invalid. Names `dtype`.
  Status EvaluateRules();
  // The caller holds the locks of both graphs.
  // \error kInvalidArgument: names `dtype`.
  Status Plan();

  const DtypeChanges& changes() const { return changes_; }
  const CastPlan& casts() const { return casts_; }

 private:
  const CloneSelection& selection_;
  const bool none_;
  DtypeRules rules_;
  DtypeChanges changes_;
  CastPlan casts_;
};

}  // namespace ramet
