// Runs every operation on tensors of up to 2^61 rows without elements. Whatever a kernel returns,
// it must not loop over sizes that have no elements. The inputs are those of the conformance cases
// with two dimensions replaced, one by 0 and one by a huge size.
#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <set>

#include "case.h"
#include "ramet/op/testing/kernel_tester.h"
#include "ramet/tensor/variant.h"

namespace ramet::conformance {
namespace {

// A kernel without elements takes microseconds. This is processor time, so that the test does not
// fail on a busy machine.
constexpr int kMaxSeconds = 5;
constexpr int64_t kHugeSizes[] = {int64_t{1} << 40, int64_t{1} << 61};

// Exits the process with a message if the code in its scope uses too much processor time.
class WorkLimit {
 public:
  explicit WorkLimit(const std::string& what) {
    std::strncpy(text_, what.c_str(), sizeof text_ - 1);
    std::signal(SIGPROF, [](int) {
      [[maybe_unused]] auto written = write(STDERR_FILENO, text_, std::strlen(text_));
      _exit(1);
    });
    SetTimer(kMaxSeconds);
  }
  ~WorkLimit() { SetTimer(0); }
  WorkLimit(const WorkLimit&) = delete;
  WorkLimit& operator=(const WorkLimit&) = delete;

 private:
  static void SetTimer(time_t seconds) {
    const itimerval timer{{0, 0}, {seconds, 0}};
    setitimer(ITIMER_PROF, &timer, nullptr);
  }
  static char text_[1000];
};
char WorkLimit::text_[1000];

// Returns the new size of dimension d of a shape.
using Resize = std::function<int64_t(const Shape& shape, int d)>;

// Returns `t` itself if nothing is replaced, a tensor of the new shape if that has few elements or
// none, and an empty tensor otherwise.
Tensor Resized(const Tensor& t, const Resize& resize) {
  Shape shape = t.shape();
  for (int d = 0; d < shape.rank(); ++d) shape.set_dim(d, resize(t.shape(), d));
  if (shape == t.shape()) return t;
  constexpr int64_t kFew = 1000;
  if (!shape.Validate().ok() || shape.num_elements() > kFew) return Tensor();
  auto resized = Tensor::Allocate(t.dtype(), shape);
  if (!resized.ok()) return Tensor();
  const bool flat = t.dtype() != kString && !IsVariant(t.dtype());
  if (flat && resized->bytes() > 0) std::memset(resized->raw_data(), 0, resized->bytes());
  return *resized;
}

bool IsArgument(const Case::Input& in) {
  return !in.is_ref && IsInteger(in.value.dtype()) && in.value.rank() <= 1;
}

// Runs the case's operation on inputs of different shapes. Small integer vectors, which are mostly
// shapes and indices, stay unchanged unless `all`.
void RunResized(const Case& c, const Resize& resize, bool all) {
  KernelTester tester(c.op);
  for (const auto& [name, value] : c.attrs) tester.Attr(name, value);
  bool changed = false;
  std::string text = StrCat(c.family, ":", c.line, " ", c.op);
  for (const Case::Input& in : c.inputs) {
    Tensor value = all || !IsArgument(in) ? Resized(in.value, resize) : in.value;
    if (value.empty() && !in.value.empty()) return;
    changed = changed || value.shape() != in.value.shape();
    text += StrCat(" ", DTypeName(value.dtype()), value.shape());
    in.is_ref ? tester.Ref(value.DeepCopy().value()) : tester.Input(std::move(value));
  }
  if (!changed) return;
  const WorkLimit limit(StrCat(text, " took more than ", kMaxSeconds, " s\n"));
  for (bool known : {true, false}) (void)tester.InferShapes(known);
  auto outputs = tester.Run();
  if (!outputs.ok()) return;
  for (const Tensor& t : *outputs) EXPECT_TRUE(t.shape().Validate().ok()) << text;
}

// Replaces the sizes `zero` and `huge` wherever they occur.
void ReplaceSizes(const Case& c, int64_t to) {
  std::set<int64_t> sizes;
  int rank = 0;
  for (const Case::Input& in : c.inputs) {
    sizes.insert(in.value.shape().dims().begin(), in.value.shape().dims().end());
    rank = std::max(rank, in.value.rank());
  }
  for (bool all : {true, false}) {
    for (int64_t zero : sizes) {
      for (int64_t huge : sizes) {
        if (zero == huge) continue;
        const auto resize = [&](const Shape& shape, int d) {
          return shape.dim(d) == zero ? 0 : shape.dim(d) == huge ? to : shape.dim(d);
        };
        RunResized(c, resize, all);
      }
    }
    for (int zero = 0; zero < rank; ++zero) {
      for (int huge = 0; huge < rank; ++huge) {
        if (zero == huge) continue;
        const auto resize = [&](const Shape& shape, int d) {
          return d == zero ? 0 : d == huge ? to : shape.dim(d);
        };
        RunResized(c, resize, all);
      }
    }
  }
}

TEST(ElementLess, KernelsDoNoWork) {
  std::set<std::string> ops;
  for (const Case& c : LoadCases(RAMET_CONFORMANCE_DATA)) {
    if (!c.error.empty()) continue;
    ops.insert(c.op);
    for (int64_t huge : kHugeSizes) ReplaceSizes(c, huge);
  }
  EXPECT_GT(ops.size(), 300u);
}

}  // namespace
}  // namespace ramet::conformance
