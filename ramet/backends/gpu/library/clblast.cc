#include "ramet/backends/gpu/driver/opencl/opencl_objects.h"
#include "ramet/backends/gpu/driver/shared_library.h"
#include "ramet/backends/gpu/library/product_library.h"
#include "ramet/base/log.h"

// CLBlast's C interface, version 1.5 or later (clblast_c.h). Its products of halves also sum
// halves, so they are not used.

namespace ramet::gpu {
namespace {

constexpr int kClblastSuccess = 0;
constexpr int kRowMajor = 101;
constexpr int kNotTransposed = 111, kTransposed = 112;

template <class T>
using Gemm = int(int layout, int transpose_a, int transpose_b, size_t m, size_t n, size_t k,
                 T alpha, opencl::api::Mem* a, size_t a_offset, size_t a_ld, opencl::api::Mem* b,
                 size_t b_offset, size_t b_ld, T beta, opencl::api::Mem* c, size_t c_offset,
                 size_t c_ld, opencl::api::CommandQueue** queue, opencl::api::Event** event);
template <class T>
using StackedGemm = int(int layout, int transpose_a, int transpose_b, size_t m, size_t n, size_t k,
                        T alpha, opencl::api::Mem* a, size_t a_offset, size_t a_ld, size_t a_step,
                        opencl::api::Mem* b, size_t b_offset, size_t b_ld, size_t b_step, T beta,
                        opencl::api::Mem* c, size_t c_offset, size_t c_ld, size_t c_step,
                        size_t count, opencl::api::CommandQueue** queue,
                        opencl::api::Event** event);

struct ClblastFunctions {
  Gemm<float>* gemm = nullptr;
  StackedGemm<float>* stacked_gemm = nullptr;
  Gemm<double>* wide_gemm = nullptr;
  StackedGemm<double>* wide_stacked_gemm = nullptr;
};

opencl::api::Mem* MemOfOperand(const DriverMemory& memory) {
  return static_cast<const opencl::Memory&>(memory).get();
}

class Clblast final : public ProductLibrary {
 public:
  Clblast(const ClblastFunctions& functions, bool has_double)
      : functions_(functions), has_double_(has_double) {}

  StatusOr<std::optional<size_t>> WorkspaceFor(const StackedProduct& p) override {
    const bool is_empty = p.m == 0 || p.n == 0 || p.k == 0 || p.stacks == 0;
    const bool has_dtype = p.dtype == kFloat || (p.dtype == kDouble && has_double_);
    const bool is_supported =
        !is_empty && has_dtype && !p.has_bias && (p.stacks == 1 || (!p.repeats_x && !p.repeats_y));
    return is_supported ? std::optional<size_t>(0) : std::nullopt;
  }

  bool adds_bias() const override { return false; }

  Status Multiply(DriverQueue& queue, const StackedProduct& p,
                  const ProductBlocks& blocks) override {
    opencl::api::CommandQueue* const commands = static_cast<opencl::Queue&>(queue).get();
    const int result =
        p.dtype == kFloat
            ? Call<float>(functions_.gemm, functions_.stacked_gemm, commands, p, blocks)
            : Call<double>(functions_.wide_gemm, functions_.wide_stacked_gemm, commands, p, blocks);
    if (result == kClblastSuccess) return OkStatus();
    const Code code = result == opencl::api::k_MEM_OBJECT_ALLOCATION_FAILURE ||
                              result == opencl::api::k_OUT_OF_RESOURCES
                          ? Code::kResourceExhausted
                          : Code::kInternal;
    return Status(code, StrCat("a product of CLBlast failed with status ", result));
  }

 private:
  template <class T>
  int Call(Gemm<T>* gemm, StackedGemm<T>* stacked_gemm, opencl::api::CommandQueue* queue,
           const StackedProduct& p, const ProductBlocks& blocks) const {
    const auto& [x, y, bias, z, workspace] = blocks;
    const auto size = [](int64_t n) { return static_cast<size_t>(n); };
    const size_t m = size(p.m), n = size(p.n), k = size(p.k);
    const int of_x = p.transpose_x ? kTransposed : kNotTransposed;
    const int of_y = p.transpose_y ? kTransposed : kNotTransposed;
    const size_t x_ld = p.transpose_x ? m : k, y_ld = p.transpose_y ? k : n;
    if (p.stacks == 1) {
      return gemm(kRowMajor, of_x, of_y, m, n, k, 1, MemOfOperand(x), 0, x_ld, MemOfOperand(y), 0,
                  y_ld, 0, MemOfOperand(z), 0, n, &queue, nullptr);
    }
    return stacked_gemm(kRowMajor, of_x, of_y, m, n, k, 1, MemOfOperand(x), 0, x_ld, m * k,
                        MemOfOperand(y), 0, y_ld, k * n, 0, MemOfOperand(z), 0, n, m * n,
                        size(p.stacks), &queue, nullptr);
  }

  const ClblastFunctions functions_;
  const bool has_double_;
};

}  // namespace

std::unique_ptr<ProductLibrary> OpenClblast(DriverDevice& device) {
  const auto library = OpenSharedLibrary("libclblast.so.1");
  ClblastFunctions f;
  if (!library.ok() || !LoadFunction(*library, "CLBlastSgemm", &f.gemm) ||
      !LoadFunction(*library, "CLBlastSgemmStridedBatched", &f.stacked_gemm) ||
      !LoadFunction(*library, "CLBlastDgemm", &f.wide_gemm) ||
      !LoadFunction(*library, "CLBlastDgemmStridedBatched", &f.wide_stacked_gemm)) {
    return nullptr;
  }
  LogDebug(device.info().name, " multiplies matrices with CLBlast");
  return std::make_unique<Clblast>(f, device.info().has_double);
}

}  // namespace ramet::gpu
