#include <cstdlib>
#include <limits>
#include <map>
#include <string_view>

#include "ramet/backends/gpu/driver/cuda/cuda_objects.h"
#include "ramet/backends/gpu/driver/shared_library.h"
#include "ramet/backends/gpu/library/cublas_lt_api.h"
#include "ramet/backends/gpu/library/product_library.h"
#include "ramet/base/log.h"
#include "ramet/base/mutex.h"

namespace ramet::gpu {
namespace {

namespace api = cublas_lt::api;

constexpr size_t kWorkspaceBytes = size_t{32} << 20;  // as NVIDIA advises for its newest GPUs
constexpr size_t kMaxPlans = 1024;
// An address of no memory. The heuristic reads how biases are aligned from it: as blocks are.
constexpr uintptr_t kAnyBias = 256;

// Releases an object of cuBLASLt with `destroy`.
template <class T>
using Owned = std::unique_ptr<T, api::Status (*)(T*)>;

Status StatusOfProduct(api::Status status, std::string_view what) {
  if (status == api::k_CUBLAS_STATUS_SUCCESS) return OkStatus();
  return Status(
      status == api::k_CUBLAS_STATUS_ALLOC_FAILED ? Code::kResourceExhausted : Code::kInternal,
      StrCat(what, " failed with status ", status));
}

// The types of a product in cuBLASLt's numbers.
struct Types {
  int element, scale, compute;
};

// Returns false if cuBLASLt has no products of the dtype.
bool TypesOf(DType dtype, bool allows_tf32, Types* types) {
  switch (dtype) {
    case kFloat:
      *types = {api::k_CUDA_R_32F, api::k_CUDA_R_32F,
                allows_tf32 ? api::k_CUBLAS_COMPUTE_32F_FAST_TF32 : api::k_CUBLAS_COMPUTE_32F};
      return true;
    case kDouble:
      *types = {api::k_CUDA_R_64F, api::k_CUDA_R_64F, api::k_CUBLAS_COMPUTE_64F};
      return true;
    case kHalf:
      *types = {api::k_CUDA_R_16F, api::k_CUDA_R_32F, api::k_CUBLAS_COMPUTE_32F};
      return true;
    case kBFloat16:
      *types = {api::k_CUDA_R_16BF, api::k_CUDA_R_32F, api::k_CUBLAS_COMPUTE_32F};
      return true;
    default: return false;
  }
}

bool AllowsTf32() {
  const char* const value = std::getenv("RAMET_TF32");
  return value != nullptr && std::string_view(value) == "1";
}

// cuBLASLt's matrices are column-major. A row-major matrix is the transpose of a column-major one,
// so the product is z' = op(y)' op(x)', with y as cuBLASLt's matrix A and x as B. A bias of columns
// is cuBLASLt's bias of rows.
class CublasLt final : public ProductLibrary {
 public:
  CublasLt(const api::Functions& lt, const cuda::Context& context, Owned<api::Handle> handle)
      : lt_(lt), context_(context), allows_tf32_(AllowsTf32()), handle_(std::move(handle)) {}

  StatusOr<std::optional<size_t>> WorkspaceFor(const StackedProduct& p) override {
    const bool is_empty = p.m == 0 || p.n == 0 || p.k == 0 || p.stacks == 0;
    Types types;
    if (is_empty || p.stacks > std::numeric_limits<int32_t>::max() ||
        !TypesOf(p.dtype, allows_tf32_, &types)) {
      return std::optional<size_t>();
    }
    const cuda::Scope scope(context_);
    MutexLock lock(mutex_);
    RAMET_ASSIGN_OR_RETURN(const Plan* plan, PlanFor(p, types));
    return plan->is_supported ? std::optional(plan->workspace_bytes) : std::nullopt;
  }

  bool adds_bias() const override { return true; }

  Status Multiply(DriverQueue& queue, const StackedProduct& p,
                  const ProductBlocks& blocks) override {
    Types types;
    TypesOf(p.dtype, allows_tf32_, &types);
    const cuda::Scope scope(context_);
    MutexLock lock(mutex_);
    RAMET_ASSIGN_OR_RETURN(const Plan* plan, PlanFor(p, types));
    if (p.has_bias) {
      const void* const bias = AddressOf(*blocks.bias);
      RAMET_RETURN_IF_ERROR(
          SetAttribute(plan->operation.get(), api::k_CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias));
    }
    return Start(*plan, types, static_cast<cuda::Queue&>(queue), blocks);
  }

 private:
  // The descriptors of a product and the algorithm that cuBLASLt chose.
  struct Plan {
    Owned<api::Operation> operation;
    Owned<api::Layout> a, b, c;
    api::Algorithm algorithm = {};
    size_t workspace_bytes = 0;
    bool is_supported = false;
  };

  static void* AddressOf(const DriverMemory& memory) {
    return reinterpret_cast<void*>(static_cast<const cuda::Memory&>(memory).address());
  }

  Status Start(const Plan& plan, const Types& types, cuda::Queue& queue,
               const ProductBlocks& blocks) const {
    const float one = 1, zero = 0;
    const double wide_one = 1, wide_zero = 0;
    const bool is_wide = types.scale == api::k_CUDA_R_64F;
    const void* const alpha = is_wide ? static_cast<const void*>(&wide_one) : &one;
    const void* const beta = is_wide ? static_cast<const void*>(&wide_zero) : &zero;
    void* const result = AddressOf(blocks.z);
    void* const workspace = blocks.workspace != nullptr ? AddressOf(*blocks.workspace) : nullptr;
    return StatusOfProduct(
        lt_.Matmul(handle_.get(), plan.operation.get(), alpha, AddressOf(blocks.y), plan.a.get(),
                   AddressOf(blocks.x), plan.b.get(), beta, result, plan.c.get(), result,
                   plan.c.get(), &plan.algorithm, workspace, plan.workspace_bytes, queue.get()),
        "cublasLtMatmul");
  }

  StatusOr<const Plan*> PlanFor(const StackedProduct& p, const Types& types)
      RAMET_REQUIRES(mutex_) {
    if (auto found = plans_.find(p); found != plans_.end()) return &found->second;
    RAMET_ASSIGN_OR_RETURN(Plan plan, MakePlan(p, types));
    if (plans_.size() >= kMaxPlans) plans_.clear();
    return &plans_.emplace(p, std::move(plan)).first->second;
  }

  StatusOr<Plan> MakePlan(const StackedProduct& p, const Types& types) const {
    RAMET_ASSIGN_OR_RETURN(auto operation, MakeOperation(p, types));
    RAMET_ASSIGN_OR_RETURN(auto a, MakeLayout(p, types, p.transpose_y ? p.k : p.n,
                                              p.transpose_y ? p.n : p.k, p.repeats_y));
    RAMET_ASSIGN_OR_RETURN(auto b, MakeLayout(p, types, p.transpose_x ? p.m : p.k,
                                              p.transpose_x ? p.k : p.m, p.repeats_x));
    RAMET_ASSIGN_OR_RETURN(auto c, MakeLayout(p, types, p.n, p.m, false));
    Plan plan = {std::move(operation), std::move(a), std::move(b), std::move(c)};
    RAMET_RETURN_IF_ERROR(Choose(&plan));
    return plan;
  }

  StatusOr<Owned<api::Operation>> MakeOperation(const StackedProduct& p, const Types& types) const {
    api::Operation* made = nullptr;
    RAMET_RETURN_IF_ERROR(StatusOfProduct(lt_.MatmulDescCreate(&made, types.compute, types.scale),
                                          "cublasLtMatmulDescCreate"));
    Owned<api::Operation> operation(made, lt_.MatmulDescDestroy);
    for (const auto& [attribute, transposes] :
         {std::pair{api::k_CUBLASLT_MATMUL_DESC_TRANSA, p.transpose_y},
          {api::k_CUBLASLT_MATMUL_DESC_TRANSB, p.transpose_x}}) {
      if (!transposes) continue;
      RAMET_RETURN_IF_ERROR(SetAttribute(made, attribute, int32_t{api::k_CUBLAS_OP_T}));
    }
    if (p.has_bias) RAMET_RETURN_IF_ERROR(AddBias(made));
    return operation;
  }

  // The epilogue is set before cuBLASLt chooses an algorithm, because not all can add a bias.
  Status AddBias(api::Operation* operation) const {
    RAMET_RETURN_IF_ERROR(SetAttribute(operation, api::k_CUBLASLT_MATMUL_DESC_EPILOGUE,
                                       uint32_t{api::k_CUBLASLT_EPILOGUE_BIAS}));
    return SetAttribute(operation, api::k_CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                        reinterpret_cast<const void*>(kAnyBias));
  }

  template <class T>
  Status SetAttribute(api::Operation* operation, int attribute, T value) const {
    return StatusOfProduct(lt_.MatmulDescSetAttribute(operation, attribute, &value, sizeof value),
                           "cublasLtMatmulDescSetAttribute");
  }

  // `rows` and `columns` are those of the column-major matrix.
  StatusOr<Owned<api::Layout>> MakeLayout(const StackedProduct& p, const Types& types, int64_t rows,
                                          int64_t columns, bool repeats) const {
    api::Layout* made = nullptr;
    RAMET_RETURN_IF_ERROR(
        StatusOfProduct(lt_.MatrixLayoutCreate(&made, types.element, static_cast<uint64_t>(rows),
                                               static_cast<uint64_t>(columns), rows),
                        "cublasLtMatrixLayoutCreate"));
    Owned<api::Layout> layout(made, lt_.MatrixLayoutDestroy);
    if (p.stacks == 1) return layout;
    const auto count = static_cast<int32_t>(p.stacks);
    const int64_t step = repeats ? 0 : rows * columns;
    RAMET_RETURN_IF_ERROR(
        StatusOfProduct(lt_.MatrixLayoutSetAttribute(
                            made, api::k_CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
                        "cublasLtMatrixLayoutSetAttribute"));
    RAMET_RETURN_IF_ERROR(StatusOfProduct(
        lt_.MatrixLayoutSetAttribute(made, api::k_CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                     &step, sizeof step),
        "cublasLtMatrixLayoutSetAttribute"));
    return layout;
  }

  // Asks cuBLASLt for the algorithm. It may have none.
  Status Choose(Plan* plan) const {
    api::Preference* made = nullptr;
    RAMET_RETURN_IF_ERROR(
        StatusOfProduct(lt_.MatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate"));
    const Owned<api::Preference> preference(made, lt_.MatmulPreferenceDestroy);
    const size_t limit = kWorkspaceBytes;
    RAMET_RETURN_IF_ERROR(StatusOfProduct(
        lt_.MatmulPreferenceSetAttribute(made, api::k_CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                         &limit, sizeof limit),
        "cublasLtMatmulPreferenceSetAttribute"));
    api::Heuristic best = {};
    int found = 0;
    const api::Status status = lt_.MatmulAlgoGetHeuristic(
        handle_.get(), plan->operation.get(), plan->a.get(), plan->b.get(), plan->c.get(),
        plan->c.get(), made, 1, &best, &found);
    plan->is_supported = status == api::k_CUBLAS_STATUS_SUCCESS && found == 1 &&
                         best.state == api::k_CUBLAS_STATUS_SUCCESS;
    plan->algorithm = best.algorithm;
    plan->workspace_bytes = best.workspace_bytes;
    return OkStatus();
  }

  const api::Functions lt_;
  const cuda::Context& context_;
  const bool allows_tf32_;
  const Owned<api::Handle> handle_;
  Mutex mutex_;
  std::map<StackedProduct, Plan> plans_ RAMET_GUARDED_BY(mutex_);
};

bool LoadFunctions(const std::string& file, api::Functions* lt) {
  const auto library = OpenSharedLibrary(file);
  if (!library.ok()) return false;
#define RAMET_CUBLAS_LT_LOAD(name, parameters) \
  if (!LoadFunction(*library, "cublasLt" #name, &lt->name)) return false;
  RAMET_CUBLAS_LT_FUNCTIONS(RAMET_CUBLAS_LT_LOAD)
#undef RAMET_CUBLAS_LT_LOAD
  return true;
}

}  // namespace

std::unique_ptr<ProductLibrary> OpenCublasLt(DriverDevice& device, DriverQueue& queue,
                                             const std::vector<std::string>& files) {
  auto& stream = static_cast<cuda::Queue&>(queue);
  const cuda::Scope scope(stream.context());
  for (const std::string& file : files) {
    api::Functions lt;
    api::Handle* handle = nullptr;
    if (!LoadFunctions(file, &lt) || lt.Create(&handle) != api::k_CUBLAS_STATUS_SUCCESS) continue;
    LogDebug(device.info().name, " multiplies matrices with ", file);
    return std::make_unique<CublasLt>(lt, stream.context(), Owned<api::Handle>(handle, lt.Destroy));
  }
  return nullptr;
}

}  // namespace ramet::gpu
