#include "ramet/ops/training/apply_kernel.h"

#include <algorithm>

#include "ramet/base/prefetch.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/parallel_rows.h"
#include "ramet/linalg/stream_copy.h"
#include "ramet/ops/array/indices.h"
#include "ramet/ops/array/move.h"

namespace ramet {
namespace {

constexpr int64_t kBlockBytes = linalg::kStreamBlockBytes, kBlocksPerTask = 16;

std::complex<double> ScalarValue(const Tensor& t) {
  switch (t.dtype()) {
    case DType::kFloat: return t.scalar<float>();
    case DType::kHalf: return static_cast<float>(t.scalar<Half>());
    case DType::kInt64: return static_cast<double>(t.scalar<int64_t>());
    case DType::kBFloat16: return static_cast<float>(t.scalar<BFloat16>());
    case DType::kComplex64: return t.scalar<std::complex<float>>();
    case DType::kComplex128: return t.scalar<std::complex<double>>();
    default: return t.scalar<double>();
  }
}

}  // namespace

UpdateArgs UpdateArgs::Of(const KernelNode& node) {
  UpdateArgs args;
  const OpSchema& schema = OpRegistry::Global().Find(node.op)->schema();
  for (int i = 0; i < static_cast<int>(schema.inputs.size()); ++i) {
    const ArgSchema& arg = schema.inputs[i];
    args.names[i] = arg.name;
    if (arg.is_ref || arg.type == DType::kResource) {
      ++args.num_vars;
    } else if (arg.name == "grad" || arg.name == "delta") {
      args.grad = i;
    } else if (arg.name == "indices") {
      args.indices = i;
    } else {
      args.scalars[args.num_scalars++] = i;
    }
  }
  for (const char* flag : {"use_nesterov", "update_slots", "multiply_linear_by_lr"}) {
    const AttrSchema* attr = schema.FindAttr(flag);
    if (attr) args.flag = node.attrs->GetOr<bool>(flag, *attr->default_value.get<bool>());
  }
  return args;
}

struct ApplyKernelBase::Step {
  std::array<int, UpdateArgs::kMaxVars> order;
  std::array<const Tensor*, UpdateArgs::kMaxVars> before;
  std::array<Tensor*, UpdateArgs::kMaxVars> after;
  std::array<double, UpdateArgs::kMaxScalars> scalars;
  std::array<std::complex<double>, UpdateArgs::kMaxScalars> complex_scalars;

  bool IsFresh(int i) const { return before[i]->raw_data() != after[i]->raw_data(); }
};

Status ApplyKernelBase::Compute(KernelContext& c) {
  Step step;
  for (int i = 0; i < args_.num_vars; ++i) {
    if (c.num_outputs() > 0) {
      RAMET_RETURN_IF_ERROR(c.ForwardRef(i, 0));
    } else if (c.variable(i) == nullptr) {
      return InvalidArgument(args_.names[i],
                             " must be the handle of a variable, but it is not a handle");
    }
    step.order[i] = i;
  }
  if (c.num_outputs() > 0) RAMET_RETURN_IF_ERROR(c.ForwardRef(0, 0));
  const auto order = std::span(step.order).first(args_.num_vars);
  std::ranges::sort(order, {}, [&](int i) { return c.variable(i); });
  for (int k = 1; k < args_.num_vars; ++k) {
    if (c.variable(order[k]) != c.variable(order[k - 1])) continue;
    return InvalidArgument(args_.names[order[k - 1]], " and ", args_.names[order[k]],
                           " are both the variable '", c.variable(order[k])->name(),
                           "'; they must be different variables");
  }
  for (int i = 0; i < args_.num_scalars; ++i) {
    const Tensor& scalar = c.input(args_.scalars[i]);
    if (scalar.rank() != 0) {
      return InvalidArgument(args_.names[args_.scalars[i]], " is not a scalar: ", scalar.shape());
    }
    step.complex_scalars[i] = ScalarValue(scalar);
    step.scalars[i] = step.complex_scalars[i].real();
  }
  return TakeVariable(c, step, 0);
}

Status ApplyKernelBase::TakeVariable(KernelContext& c, Step& step, int k) const {
  if (k < args_.num_vars) {
    const int i = step.order[k];
    const auto next = [&](const Tensor& before, Tensor& after) {
      step.before[i] = &before;
      step.after[i] = &after;
      return TakeVariable(c, step, k + 1);
    };
    return args_.indices < 0 ? c.ModifyRef(i, next)
                             : c.ModifyRefRows(i, c.input(args_.indices), next);
  }
  RAMET_RETURN_IF_ERROR(CheckShapes(c, step));
  if (args_.indices < 0) {
    UpdateAll(c, step);
  } else {
    UpdateRows(c, step);
  }
  return OkStatus();
}

Status ApplyKernelBase::CheckShapes(KernelContext& c, const Step& step) const {
  const Tensor& var = *step.before[0];
  for (int i = 0; i < args_.num_vars; ++i) {
    const DType found = step.before[i]->dtype();
    if (found == c.input(args_.grad).dtype()) continue;
    return InvalidArgument("the variable ", args_.names[i], " ('", c.variable(i)->name(), "') is ",
                           DTypeName(found), ", but the gradient is ",
                           DTypeName(c.input(args_.grad).dtype()));
  }
  for (int i = 1; i < args_.num_vars; ++i) {
    if (step.before[i]->shape() == var.shape()) continue;
    return InvalidArgument("var and ", args_.names[i], " do not have the same shape", var.shape(),
                           " ", step.before[i]->shape());
  }
  if (args_.indices >= 0) return CheckRows(c, var);
  const Tensor& grad = c.input(args_.grad);
  if (grad.shape() == var.shape()) return OkStatus();
  return InvalidArgument("var and ", args_.names[args_.grad], " do not have the same shape",
                         var.shape(), " ", grad.shape());
}

Status ApplyKernelBase::CheckRows(KernelContext& c, const Tensor& var) const {
  const Tensor &grad = c.input(args_.grad), &indices = c.input(args_.indices);
  if (var.rank() < 1) return InvalidArgument("var must be at least 1 dimensional");
  if (indices.rank() != 1) {
    return InvalidArgument("indices must be one-dimensional, but has shape ", indices.shape());
  }
  if (grad.rank() != var.rank() || grad.dim(0) != indices.dim(0)) {
    return InvalidArgument(
        "grad must be the same size as indices in the first dimension, with the rank of var: grad ",
        grad.shape(), ", indices ", indices.shape(), ", var ", var.shape());
  }
  for (int d = 1; d < var.rank(); ++d) {
    if (grad.dim(d) != var.dim(d)) {
      return InvalidArgument("var and grad must match in dimension ", d, ": ", var.shape(), " and ",
                             grad.shape());
    }
  }
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const int64_t row = IntegerAt(indices, i);
    if (row < 0 || row >= var.dim(0)) {
      return InvalidArgument("Index ", row, " at offset ", i,
                             " in indices is out of range: the variable has ", var.dim(0), " rows");
    }
  }
  return OkStatus();
}

void ApplyKernelBase::Update(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                             const Step& step, const void* grad) const {
  const size_t count = static_cast<size_t>(args_.num_scalars);
  if (complex_rule_ != nullptr) {
    complex_rule_(type, n, vars, std::span(step.complex_scalars).first(count), grad, args_.flag);
  } else {
    rule_(type, n, vars, std::span(step.scalars).first(count), grad, args_.flag);
  }
}

// Updates block by block. Values for a fresh buffer are written past the caches.
void ApplyKernelBase::StreamAll(KernelContext& c, const Step& step) const {
  const Tensor& grad = c.input(args_.grad);
  const int64_t width = static_cast<int64_t>(DTypeSize(grad.dtype())), n = grad.num_elements();
  const int64_t block = kBlockBytes / width;
  const auto update = [&](int64_t begin, int64_t end) {
    alignas(64) std::array<std::array<char, kBlockBytes>, UpdateArgs::kMaxVars> written;
    std::array<linalg::Update, UpdateArgs::kMaxVars> vars;
    for (int64_t b = begin; b < end; ++b) {
      const int64_t offset = b * kBlockBytes, count = std::min(block, n - b * block);
      for (int i = 0; i < args_.num_vars; ++i) {
        vars[i] = linalg::Update::InPlace(static_cast<char*>(step.before[i]->raw_data()) + offset);
        if (step.IsFresh(i)) vars[i].new_value = written[i].data();
      }
      Update(LinalgType(grad.dtype()), count, std::span(vars).first(args_.num_vars), step,
             static_cast<const char*>(grad.raw_data()) + offset);
      for (int i = 0; i < args_.num_vars; ++i) {
        if (!step.IsFresh(i)) continue;
        const auto next_of = [&](const Tensor& t) {
          return static_cast<const char*>(t.raw_data()) + offset + kBlockBytes;
        };
        const std::array<const char*, 2> next = {next_of(*step.before[i]), next_of(grad)};
        linalg::StreamCopy(static_cast<char*>(step.after[i]->raw_data()) + offset,
                           written[i].data(), static_cast<size_t>(count * width),
                           std::span(next).first(i == 0 ? 2 : 1));
      }
    }
    linalg::StreamFence();
  };
  linalg::ParallelFor((n + block - 1) / block, kBlocksPerTask, update);
}

void ApplyKernelBase::UpdateAll(KernelContext& c, const Step& step) const {
  bool fresh = false;
  for (int i = 0; i < args_.num_vars; ++i) fresh |= step.IsFresh(i);
  if (fresh && c.input(args_.grad).bytes() >= linalg::kStreamedBytes) return StreamAll(c, step);
  std::array<linalg::Update, UpdateArgs::kMaxVars> vars;
  for (int i = 0; i < args_.num_vars; ++i) {
    vars[i] = {step.before[i]->raw_data(), step.after[i]->raw_data()};
  }
  const Tensor& grad = c.input(args_.grad);
  if (grad.num_elements() == 0) return;
  Update(LinalgType(grad.dtype()), grad.num_elements(), std::span(vars).first(args_.num_vars), step,
         grad.raw_data());
}

void ApplyKernelBase::UpdateRows(KernelContext& c, const Step& step) const {
  const Tensor &grad = c.input(args_.grad), &indices = c.input(args_.indices);
  if (grad.num_elements() == 0) return;
  const int64_t n = Product(grad.shape(), 1, grad.rank());
  const int64_t row_bytes = n * static_cast<int64_t>(DTypeSize(grad.dtype()));
  const int64_t count = indices.num_elements();
  const auto row = [&](int64_t i) { return IntegerAt(indices, i); };
  const auto prefetch = [&](int64_t i) {
    for (int k = 0; k < args_.num_vars; ++k) {
      const auto* data = static_cast<const char*>(step.after[k]->raw_data());
      PrefetchToWrite(data + row(i) * row_bytes, row_bytes);
    }
  };
  const auto update = [&](int64_t i) {
    std::array<linalg::Update, UpdateArgs::kMaxVars> vars;
    for (int k = 0; k < args_.num_vars; ++k) {
      auto* data = static_cast<char*>(step.after[k]->raw_data());
      vars[k] = linalg::Update::InPlace(data + row(i) * row_bytes);
    }
    Update(LinalgType(grad.dtype()), n, std::span(vars).first(args_.num_vars), step,
           static_cast<const char*>(grad.raw_data()) + i * row_bytes);
  };
  linalg::ParallelForRows(linalg::RowLanes(count, row_bytes), count, row, prefetch, update);
}

}  // namespace ramet
