#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"

namespace ramet {

// A PassSelection says which passes a session uses (AllPasses).
class PassSelection {
 public:
  // Selects all passes but those that RAMET_PASSES or `disabled` leave out ("all": every pass).
  // RAMET_PASSES is "none", a list of the passes to use ("constant_folding,elementwise"), or a list
  // of those to leave out ("-arithmetic,-elementwise").
  // \error kInvalidArgument: a name is not that of a pass; the message lists the names.
  static StatusOr<PassSelection> Make(const std::vector<std::string>& disabled);

  bool Has(size_t pass) const { return (mask_ >> pass & 1) != 0; }
  // Leaves out the passes that may change the last bits of results.
  void KeepExact();

 private:
  static constexpr uint64_t kAll = ~uint64_t{0};
  // Applies the value of RAMET_PASSES.
  Status ApplyText(std::string_view text);
  Status Disable(std::string_view name, std::string_view where);

  uint64_t mask_ = kAll;  // one bit per pass, in the order of AllPasses()
};

}  // namespace ramet
