#pragma once

#include <string>
#include <vector>

#include "ramet/edit/clone/mapping.h"
#include "ramet/edit/clone/selection.h"

namespace ramet {

// A CopiedDevices gives copied nodes their devices (CloneOptions::device).
class CopiedDevices {
 public:
  CopiedDevices(const CloneSelection& selection, const CloneDevice& device,
                const CloneMapping& mapping)
      : selection_(selection), device_(device), mapping_(mapping) {}

  // Evaluates the rule for all operations if it is a function. Holds no lock, since the function
  // may call the program.
  // \error kInvalidArgument: a device of the rule cannot be parsed.
  Status Evaluate();
  // Returns the number of the device, in the target, of the copy of selection.nodes()[position].
  // The caller holds the locks of both graphs.
  int32_t Of(size_t position);

 private:
  std::string Mapped(const std::string& device) const;

  const CloneSelection& selection_;
  const CloneDevice& device_;
  const CloneMapping& mapping_;
  std::vector<std::string> evaluated_;
  std::vector<int32_t> numbers_;  // by the source's device number; -1 if not seen yet
};

}  // namespace ramet
