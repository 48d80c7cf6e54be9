#include "ramet/ops/linalg/matrix_runner.h"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "ramet/base/detached_call.h"
#include "ramet/base/run_interrupt.h"

namespace ramet {
namespace {

// About 1 ms and 50 ms of a decomposition (ramet_linalg_bench svd/32 and svd/188).
constexpr double kCheckedMultiplications = 1 << 20;
constexpr double kLongMultiplications = 1 << 26;

// The operands and results of one computation in memory of its own.
class Copies {
 public:
  Copies(std::span<const MatrixOperand> operands, std::span<const MatrixResult> results) {
    for (size_t i = 0; i < operands.size(); ++i) {
      const auto* const data = static_cast<const char*>(operands[i].data);
      args_.operands[i] = Keep(std::vector<char>(data, data + operands[i].bytes));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].data == nullptr) continue;
      args_.results[i] = Keep(std::vector<char>(static_cast<size_t>(results[i].bytes)));
    }
  }
  const MatrixArgs& args() const { return args_; }

 private:
  void* Keep(std::vector<char> bytes) { return memory_.emplace_back(std::move(bytes)).data(); }

  std::vector<std::vector<char>> memory_;
  MatrixArgs args_;
};

}  // namespace

bool MatrixRunner::IsLong() const { return work_ >= kLongMultiplications; }

bool MatrixRunner::MustStop() {
  unchecked_work_ += work_;
  if (unchecked_work_ < kCheckedMultiplications) return false;
  unchecked_work_ = 0;
  return StopDue();
}

bool MatrixRunner::RunDetached(std::span<const MatrixOperand> operands,
                               std::span<const MatrixResult> results,
                               std::function<void(const MatrixArgs&)> compute) {
  const auto copies = std::make_shared<const Copies>(operands, results);
  const bool done =
      CallDetached([copies, compute = std::move(compute)] { compute(copies->args()); });
  if (!done) return false;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].data == nullptr) continue;
    std::memcpy(results[i].data, copies->args().results[i], static_cast<size_t>(results[i].bytes));
  }
  return true;
}

}  // namespace ramet
