#include "ramet/ops/ctc/ctc_inputs.h"

#include <algorithm>

namespace ramet {

Status WriteSequences(KernelContext& c, int first, int step,
                      const std::vector<std::vector<int>>& sequences) {
  int64_t count = 0, longest = 0;
  for (const std::vector<int>& sequence : sequences) {
    count += std::ssize(sequence);
    longest = std::max<int64_t>(longest, std::ssize(sequence));
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * indices, c.Allocate(first, kInt64, Shape{count, 2}));
  RAMET_ASSIGN_OR_RETURN(Tensor * values, c.Allocate(first + step, kInt64, Shape{count}));
  c.SetOutput(first + 2 * step, Tensor::Vector<int64_t>({std::ssize(sequences), longest}));
  int64_t* row = indices->mutable_data<int64_t>();
  int64_t* value = values->mutable_data<int64_t>();
  for (size_t b = 0; b < sequences.size(); ++b) {
    for (size_t i = 0; i < sequences[b].size(); ++i) {
      *row++ = static_cast<int64_t>(b);
      *row++ = static_cast<int64_t>(i);
      *value++ = sequences[b][i];
    }
  }
  return OkStatus();
}

}  // namespace ramet
