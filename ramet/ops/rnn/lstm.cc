#include "ramet/ops/rnn/lstm.h"

#include <algorithm>

#include "ramet/base/float16.h"
#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/gemm.h"
#include "ramet/linalg/types.h"

namespace ramet {
namespace {

template <class T>
void Activate(linalg::UnaryOp op, const T* x, T* y, int64_t n) {
  linalg::Unary(op, linalg::TypeOf<T>, x, y, n);
}

float Clipped(float x, float limit) { return limit > 0 ? std::clamp(x, -limit, limit) : x; }

}  // namespace

template <class T>
void JoinRows(int64_t rows, const T* x, int64_t m, const T* y, int64_t n, T* out) {
  for (int64_t row = 0; row < rows; ++row) {
    out = std::copy_n(x + row * m, m, out);
    out = std::copy_n(y + row * n, n, out);
  }
}

template <class T>
void LstmForward(const LstmSettings& settings, const LstmSizes& sizes,
                 const LstmWeights<T>& weights, const T* x, const T* cs_prev, const T* h_prev,
                 T* xh, T* columns, const LstmActivations<T*>& out) {
  const int64_t cell = sizes.cell, n = sizes.state();
  const LstmGates& gates = settings.gates;
  JoinRows(sizes.batch, x, sizes.input, h_prev, cell, xh);
  linalg::Gemm(false, false, sizes.batch, sizes.columns(), sizes.inputs(), xh, weights.w, columns);
  const auto gate = [&](int64_t row, int position, int64_t j) {
    const int64_t column = position * cell + j;
    return float(columns[row * sizes.columns() + column]) + float(weights.b[column]);
  };
  const auto peephole = [&](const T* w, int64_t j, float state) {
    return settings.peephole ? float(w[j]) * state : 0.0f;
  };
  for (int64_t row = 0, k = 0; row < sizes.batch; ++row) {
    for (int64_t j = 0; j < cell; ++j, ++k) {
      const auto before = float(cs_prev[k]);
      out.i[k] = T(gate(row, gates.input, j) + peephole(weights.wci, j, before));
      out.ci[k] = T(gate(row, gates.candidate, j));
      out.f[k] =
          T(gate(row, gates.forget, j) + settings.forget_bias + peephole(weights.wcf, j, before));
    }
  }
  Activate(linalg::UnaryOp::kSigmoid, out.i, out.i, n);
  Activate(linalg::UnaryOp::kTanh, out.ci, out.ci, n);
  Activate(linalg::UnaryOp::kSigmoid, out.f, out.f, n);
  for (int64_t row = 0, k = 0; row < sizes.batch; ++row) {
    for (int64_t j = 0; j < cell; ++j, ++k) {
      const float state = float(out.ci[k]) * float(out.i[k]) + float(cs_prev[k]) * float(out.f[k]);
      out.cs[k] = T(Clipped(state, settings.cell_clip));
      out.o[k] = T(gate(row, gates.output, j) + peephole(weights.wco, j, float(out.cs[k])));
    }
  }
  Activate(linalg::UnaryOp::kSigmoid, out.o, out.o, n);
  Activate(linalg::UnaryOp::kTanh, out.cs, out.co, n);
  for (int64_t k = 0; k < n; ++k) out.h[k] = T(float(out.o[k]) * float(out.co[k]));
}

template <class T>
void LstmBackprop(const LstmSettings& settings, const LstmSizes& sizes,
                  const LstmWeights<T>& weights, const T* cs_prev,
                  const LstmActivations<const T*>& step, const LstmBackward<T>& gradients) {
  const int64_t cell = sizes.cell;
  const LstmGates& gates = settings.gates;
  for (int64_t row = 0, k = 0; row < sizes.batch; ++row) {
    T* const columns = gradients.columns + row * sizes.columns();
    for (int64_t j = 0; j < cell; ++j, ++k) {
      const float i(step.i[k]), f(step.f[k]), o(step.o[k]), ci(step.ci[k]), co(step.co[k]);
      const float before(cs_prev[k]), dh(gradients.h_grad[k]);
      const float d_output = o * (1 - o) * dh * co;
      float d_state = (1 - co * co) * dh * o + float(gradients.cs_grad[k]);
      if (settings.peephole) d_state += d_output * float(weights.wco[j]);
      const float d_candidate = (1 - ci * ci) * d_state * i;
      const float d_forget = f * (1 - f) * d_state * before;
      const float d_input = i * (1 - i) * d_state * ci;
      columns[gates.input * cell + j] = T(d_input);
      columns[gates.candidate * cell + j] = T(d_candidate);
      columns[gates.forget * cell + j] = T(d_forget);
      columns[gates.output * cell + j] = T(d_output);
      float d_before = d_state * f;
      if (settings.peephole) {
        d_before += d_input * float(weights.wci[j]) + d_forget * float(weights.wcf[j]);
        gradients.wci_grad[j] += d_input * before;
        gradients.wcf_grad[j] += d_forget * before;
        gradients.wco_grad[j] += d_output * float(step.cs[k]);
      }
      gradients.cs_prev_grad[k] = T(d_before);
    }
  }
}

Status CheckRank(const Tensor& t, const char* name, int rank) {
  if (t.rank() == rank) return OkStatus();
  return InvalidArgument(name, " must be ", rank, "D");
}

Status CheckSize(const Tensor& t, const char* dim, int i, const char* what, int64_t expected) {
  if (t.dim(i) == expected) return OkStatus();
  return InvalidArgument(dim, "(", i, ") != ", what, ": ", t.dim(i), " vs. ", expected);
}

#define RAMET_LSTM_TYPE(T)                                                                     \
  template void JoinRows(int64_t, const T*, int64_t, const T*, int64_t, T*);                   \
  template void LstmForward(const LstmSettings&, const LstmSizes&, const LstmWeights<T>&,      \
                            const T*, const T*, const T*, T*, T*, const LstmActivations<T*>&); \
  template void LstmBackprop(const LstmSettings&, const LstmSizes&, const LstmWeights<T>&,     \
                             const T*, const LstmActivations<const T*>&, const LstmBackward<T>&);
RAMET_LSTM_TYPE(Half)
RAMET_LSTM_TYPE(float)
#undef RAMET_LSTM_TYPE

}  // namespace ramet
