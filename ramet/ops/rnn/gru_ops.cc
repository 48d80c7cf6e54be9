#include <algorithm>
#include <vector>

#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/gemm.h"
#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/rnn/lstm.h"

// GRUBlockCell computes one step of a GRU layer.

namespace ramet {
namespace {

struct GruSizes {
  int64_t batch, input, cell;
  int64_t inputs() const { return input + cell; }
};

StatusOr<GruSizes> CheckGru(KernelContext& c) {
  const Tensor &x = c.input(0), &h_prev = c.input(1), &w_ru = c.input(2), &w_c = c.input(3);
  for (const auto& [name, i] :
       {std::pair("x", 0), std::pair("h_prev", 1), std::pair("w_ru", 2), std::pair("w_c", 3)}) {
    RAMET_RETURN_IF_ERROR(CheckRank(c.input(i), name, 2));
  }
  RAMET_RETURN_IF_ERROR(CheckRank(c.input(4), "b_ru", 1));
  RAMET_RETURN_IF_ERROR(CheckRank(c.input(5), "b_c", 1));
  const GruSizes sizes = {x.dim(0), x.dim(1), h_prev.dim(1)};
  const int64_t cell = sizes.cell, inputs = sizes.inputs();
  RAMET_RETURN_IF_ERROR(CheckSize(h_prev, "h_prev.dims", 0, "batch_size", sizes.batch));
  RAMET_RETURN_IF_ERROR(CheckSize(w_ru, "w_ru.dim_size", 0, "input_size + cell_size", inputs));
  RAMET_RETURN_IF_ERROR(CheckSize(w_ru, "w_ru.dim_size", 1, "cell_size * 2", 2 * cell));
  RAMET_RETURN_IF_ERROR(CheckSize(w_c, "w_c.dim_size", 0, "input_size + cell_size", inputs));
  RAMET_RETURN_IF_ERROR(CheckSize(w_c, "w_c.dim_size", 1, "cell_size", cell));
  RAMET_RETURN_IF_ERROR(CheckSize(c.input(4), "b_ru.dim_size", 0, "cell_size * 2", 2 * cell));
  RAMET_RETURN_IF_ERROR(CheckSize(c.input(5), "b_c.dim_size", 0, "cell_size", cell));
  return sizes;
}

// y[row, j] = x[row, first + j] + b[first + j]
void AddBias(int64_t rows, const float* x, int64_t width, int64_t first, int64_t n, const float* b,
             float* y) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t j = 0; j < n; ++j) *y++ = x[row * width + first + j] + b[first + j];
  }
}

void ActivateAll(linalg::UnaryOp op, Tensor& t) {
  linalg::Unary(op, linalg::Type::kFloat, t.raw_data(), t.raw_data(), t.num_elements());
}

Status GruStep(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const GruSizes sizes, CheckGru(c));
  const Shape state{sizes.batch, sizes.cell};
  RAMET_ASSIGN_OR_RETURN(Tensor * r, c.Allocate(0, kFloat, state));
  RAMET_ASSIGN_OR_RETURN(Tensor * u, c.Allocate(1, kFloat, state));
  RAMET_ASSIGN_OR_RETURN(Tensor * candidate, c.Allocate(2, kFloat, state));
  RAMET_ASSIGN_OR_RETURN(Tensor * h, c.Allocate(3, kFloat, state));
  const int64_t n = h->num_elements(), cell = sizes.cell;
  if (n == 0) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(Tensor xh, c.AllocateTemp(kFloat, Shape{sizes.batch, sizes.inputs()}));
  RAMET_ASSIGN_OR_RETURN(Tensor ru, c.AllocateTemp(kFloat, Shape{sizes.batch, 2 * cell}));
  const float *const x = c.input(0).data<float>(), *const h_prev = c.input(1).data<float>();
  const float *const b_ru = c.input(4).data<float>(), *const b_c = c.input(5).data<float>();
  float* const joint = xh.mutable_data<float>();
  JoinRows(sizes.batch, x, sizes.input, h_prev, cell, joint);
  linalg::Gemm(false, false, sizes.batch, 2 * cell, sizes.inputs(), joint, c.input(2).data<float>(),
               ru.mutable_data<float>());
  AddBias(sizes.batch, ru.data<float>(), 2 * cell, 0, cell, b_ru, r->mutable_data<float>());
  AddBias(sizes.batch, ru.data<float>(), 2 * cell, cell, cell, b_ru, u->mutable_data<float>());
  ActivateAll(linalg::UnaryOp::kSigmoid, *r);
  ActivateAll(linalg::UnaryOp::kSigmoid, *u);
  float* const reset = h->mutable_data<float>();  // h_prev * r until h is known
  for (int64_t k = 0; k < n; ++k) reset[k] = h_prev[k] * r->data<float>()[k];
  JoinRows(sizes.batch, x, sizes.input, static_cast<const float*>(reset), cell, joint);
  linalg::Gemm(false, false, sizes.batch, cell, sizes.inputs(), joint, c.input(3).data<float>(),
               ru.mutable_data<float>());
  AddBias(sizes.batch, ru.data<float>(), cell, 0, cell, b_c, candidate->mutable_data<float>());
  ActivateAll(linalg::UnaryOp::kTanh, *candidate);
  const float *const us = u->data<float>(), *const cs = candidate->data<float>();
  for (int64_t k = 0; k < n; ++k) reset[k] = us[k] * h_prev[k] + (1 - us[k]) * cs[k];
  return OkStatus();
}

// The gradients of the sums before the activations: of the candidate, and of r and u side by side.
struct GruSums {
  float *candidate, *ru;
};

// Computes the gradients of the candidate and of u.
void OutputBackprop(KernelContext& c, const GruSizes& sizes, const GruSums& sums) {
  const float* const h_prev = c.input(1).data<float>();
  const float *const u = c.input(7).data<float>(), *const candidate = c.input(8).data<float>(),
                     *const d_h = c.input(9).data<float>();
  for (int64_t row = 0, k = 0; row < sizes.batch; ++row) {
    for (int64_t j = 0; j < sizes.cell; ++j, ++k) {
      sums.candidate[k] = d_h[k] * (1 - u[k]) * (1 - candidate[k] * candidate[k]);
      sums.ru[(2 * row + 1) * sizes.cell + j] =
          d_h[k] * (h_prev[k] - candidate[k]) * u[k] * (1 - u[k]);
    }
  }
}

// Computes the gradient of r from that of [x, h_prev * r].
void ResetBackprop(KernelContext& c, const GruSizes& sizes, const float* joint, float* ru) {
  const float *const h_prev = c.input(1).data<float>(), *const r = c.input(6).data<float>();
  for (int64_t row = 0, k = 0; row < sizes.batch; ++row) {
    for (int64_t j = 0; j < sizes.cell; ++j, ++k) {
      const float d_reset = joint[row * sizes.inputs() + sizes.input + j];
      ru[2 * row * sizes.cell + j] = d_reset * h_prev[k] * r[k] * (1 - r[k]);
    }
  }
}

// Adds the gradients of [x, h_prev * r] and [x, h_prev] to those of x and h_prev.
void JoinGradients(KernelContext& c, const GruSizes& sizes, const float* c_row, const float* ru_row,
                   Tensor& d_x, Tensor& d_h_prev) {
  const float *r = c.input(6).data<float>(), *u = c.input(7).data<float>(),
              *d_h = c.input(9).data<float>();
  float *x_grad = d_x.mutable_data<float>(), *h_grad = d_h_prev.mutable_data<float>();
  for (int64_t row = 0; row < sizes.batch; ++row) {
    for (int64_t j = 0; j < sizes.input; ++j) *x_grad++ = *ru_row++ + *c_row++;
    for (int64_t j = 0; j < sizes.cell; ++j) {
      *h_grad++ = *ru_row++ + *c_row++ * *r++ + *d_h++ * *u++;
    }
  }
}

Status GruStepGrad(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const GruSizes sizes, CheckGru(c));
  const Shape state{sizes.batch, sizes.cell};
  for (const auto& [name, i] :
       {std::pair("r", 6), std::pair("u", 7), std::pair("c", 8), std::pair("d_h", 9)}) {
    if (c.input(i).shape() == state) continue;
    return InvalidArgument(name, " must have shape ", state, ", got ", c.input(i).shape());
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * d_x, c.Allocate(0, kFloat, c.input(0).shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * d_h_prev, c.Allocate(1, kFloat, state));
  RAMET_ASSIGN_OR_RETURN(Tensor * d_c, c.Allocate(2, kFloat, state));
  RAMET_ASSIGN_OR_RETURN(Tensor * d_ru, c.Allocate(3, kFloat, Shape{sizes.batch, 2 * sizes.cell}));
  const Shape joint{sizes.batch, sizes.inputs()};
  RAMET_ASSIGN_OR_RETURN(Tensor by_c, c.AllocateTemp(kFloat, joint));
  RAMET_ASSIGN_OR_RETURN(Tensor by_ru, c.AllocateTemp(kFloat, joint));
  if (by_c.num_elements() == 0) return OkStatus();
  const GruSums sums = {d_c->mutable_data<float>(), d_ru->mutable_data<float>()};
  OutputBackprop(c, sizes, sums);
  linalg::Gemm(false, true, sizes.batch, sizes.inputs(), sizes.cell, d_c->data<float>(),
               c.input(3).data<float>(), by_c.mutable_data<float>());
  ResetBackprop(c, sizes, by_c.data<float>(), sums.ru);
  linalg::Gemm(false, true, sizes.batch, sizes.inputs(), 2 * sizes.cell, d_ru->data<float>(),
               c.input(2).data<float>(), by_ru.mutable_data<float>());
  JoinGradients(c, sizes, by_c.data<float>(), by_ru.data<float>(), *d_x, *d_h_prev);
  return OkStatus();
}

Status GruShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape x, c.WithRank(0, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape h_prev, c.WithRank(1, 2));
  for (int i = 0; i < 4; ++i) c.set_output(i, Shape{x.dim(0), h_prev.dim(1)});
  return OkStatus();
}

Status GruGradShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape x, c.WithRank(0, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape h_prev, c.WithRank(1, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape w_ru, c.WithRank(2, 2));
  const Shape state{x.dim(0), h_prev.dim(1)};
  c.set_output(0, x);
  c.set_output(1, state);
  c.set_output(2, state);
  c.set_output(3, Shape{x.dim(0), w_ru.dim(1)});
  return OkStatus();
}

Output Joined(GradientContext& c, const Output& x, const Output& y) {
  return c.Add("ConcatV2", {x, y, Tensor(int32_t{1})}, {{"N", 2}}, "concat");
}

Status GruGradient(GradientContext& c) {
  const Output x = c.input(0), h_prev = c.input(1), r = c.output(0);
  std::vector<Input> inputs;
  for (int i = 0; i < 6; ++i) inputs.emplace_back(c.input(i));
  for (int i = 0; i < 3; ++i) inputs.emplace_back(c.output(i));
  inputs.emplace_back(c.grad(3));
  const Operation step = c.AddOperation("GRUBlockCellGrad", inputs);
  if (!step.valid()) return c.Return(std::vector<Gradient>(6));
  const Output d_c = step.output(2), d_ru = step.output(3);
  const Output w_ru = c.Add("MatMul", {Joined(c, x, h_prev), d_ru}, {{"transpose_a", true}});
  const Output b_ru = c.Add("BiasAddGrad", {d_ru});
  const Output w_c = c.Add("MatMul", {Joined(c, x, h_prev * r), d_c}, {{"transpose_a", true}});
  const Output b_c = c.Add("BiasAddGrad", {d_c});
  return c.Return({step.output(0), step.output(1), w_ru, w_c, b_ru, b_c});
}

#define RAMET_GRU_INPUTS \
  Input("x: T").Input("h_prev: T").Input("w_ru: T").Input("w_c: T").Input("b_ru: T").Input("b_c: T")

RAMET_OP("GRUBlockCell")
    .RAMET_GRU_INPUTS.Output("r: T")
    .Output("u: T")
    .Output("c: T")
    .Output("h: T")
    .Attr("T: {float}")
    .Doc(
        "Computes one step of a GRU layer for x [batch, input] and the state h_prev [batch, cell]: "
        "r and u are the two parts of sigmoid([x, h_prev] * w_ru + b_ru), c = tanh([x, h_prev * r] "
        "* w_c + b_c), h = u * h_prev + (1 - u) * c. w_ru is [input + cell, 2 * cell], w_c [input "
        "+ cell, cell]. Error: the shapes do not fit together.")
    .Shape(GruShape)
    .Gradient(GruGradient)
    .CpuKernel("T", kFloat, GruStep);

RAMET_OP("GRUBlockCellGrad")
    .RAMET_GRU_INPUTS.Input("r: T")
    .Input("u: T")
    .Input("c: T")
    .Input("d_h: T")
    .Output("d_x: T")
    .Output("d_h_prev: T")
    .Output("d_c_bar: T")
    .Output("d_r_bar_u_bar: T")
    .Attr("T: {float}")
    .Doc(
        "Returns gradients of GRUBlockCell: of x, of h_prev, and of the two sums before the "
        "activations. Error: the shapes do not fit together.")
    .Shape(GruGradShape)
    .CpuKernel("T", kFloat, GruStepGrad);

}  // namespace
}  // namespace ramet
