// The floor: a training step and the inference of an MLP 784-256-256-10, written by hand with
// oneDNN. It does the same arithmetic as the graph of the model: relu(x W + b) twice, softmax,
// mean(-sum(y log p)), its gradient through log and softmax, and gradient descent in place.

#include <benchmark/benchmark.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

constexpr int64_t kIn = 784, kHidden = 256, kClasses = 10;
constexpr float kRate = 0.1f;

using Tag = dnnl::memory::format_tag;

class Floats {
 public:
  explicit Floats(int64_t n)
      : n_(n),
        data_(static_cast<float*>(std::aligned_alloc(64, (n * 4 + 63) / 64 * 64)), std::free) {
    std::fill(data(), data() + n, 0.0f);
  }
  float* data() const { return data_.get(); }
  int64_t size() const { return n_; }
  float& operator[](int64_t i) const { return data_[i]; }

 private:
  int64_t n_;
  std::unique_ptr<float[], void (*)(void*)> data_;
};

// Computes relu(x w + b), or x w + b, with one oneDNN primitive that is created once.
class DenseLayer {
 public:
  enum class Weights { kAsTheyAre, kPacked };

  DenseLayer(const dnnl::engine& engine, int64_t batch, int64_t in, int64_t out, bool relu,
             Weights weights, const Floats& x, const Floats& w, const Floats& b, const Floats& y) {
    const auto f32 = dnnl::memory::data_type::f32;
    const dnnl::memory::desc xd({batch, in}, f32, Tag::ab), wd({in, out}, f32, Tag::ab);
    const dnnl::memory::desc bd({1, out}, f32, Tag::ab), yd({batch, out}, f32, Tag::ab);
    const dnnl::memory::desc any({in, out}, f32, Tag::any);
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    dnnl::post_ops ops;
    if (relu) ops.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    attr.set_post_ops(ops);
    const bool packed = weights == Weights::kPacked;
    const dnnl::matmul::primitive_desc pd({xd, packed ? any : wd, bd, yd}, attr, engine);
    primitive_ = dnnl::matmul(pd);
    dnnl::memory wm(wd, engine, w.data());
    if (packed) {
      dnnl::memory reordered(pd.weights_desc(), engine);
      dnnl::stream stream(engine);
      dnnl::reorder(wm, reordered).execute(stream, wm, reordered);
      wm = reordered;
    }
    args_ = {{DNNL_ARG_SRC, dnnl::memory(xd, engine, x.data())},
             {DNNL_ARG_WEIGHTS, wm},
             {DNNL_ARG_BIAS, dnnl::memory(bd, engine, b.data())},
             {DNNL_ARG_DST, dnnl::memory(yd, engine, y.data())},
             {DNNL_ARG_SCRATCHPAD, dnnl::memory(pd.scratchpad_desc(), engine)}};
  }

  void Run(const dnnl::stream& stream) const { primitive_.execute(stream, args_); }

 private:
  dnnl::matmul primitive_;
  std::unordered_map<int, dnnl::memory> args_;
};

void Softmax(int64_t rows, const float* x, float* p) {
  for (int64_t r = 0; r < rows; ++r, x += kClasses, p += kClasses) {
    float top = x[0], sum = 0;
    for (int64_t i = 1; i < kClasses; ++i) top = std::max(top, x[i]);
    for (int64_t i = 0; i < kClasses; ++i) sum += p[i] = std::exp(x[i] - top);
    for (int64_t i = 0; i < kClasses; ++i) p[i] /= sum;
  }
}

struct Model {
  explicit Model(int64_t batch)
      : batch(batch),
        w1(kIn * kHidden),
        b1(kHidden),
        w2(kHidden * kHidden),
        b2(kHidden),
        w3(kHidden * kClasses),
        b3(kClasses),
        x(batch * kIn),
        y(batch * kClasses),
        h1(batch * kHidden),
        h2(batch * kHidden),
        logits(batch * kClasses),
        p(batch * kClasses) {
    std::mt19937 random(1);
    const auto fill = [&](const Floats& f, float limit) {
      std::uniform_real_distribution<float> values(-limit, limit);
      for (int64_t i = 0; i < f.size(); ++i) f[i] = values(random);
    };
    fill(w1, std::sqrt(6.0f / (kIn + kHidden)));
    fill(w2, std::sqrt(6.0f / (kHidden + kHidden)));
    fill(w3, std::sqrt(6.0f / (kHidden + kClasses)));
    std::uniform_real_distribution<float> pixel(0, 1);
    for (int64_t i = 0; i < x.size(); ++i) x[i] = pixel(random);
    for (int64_t r = 0; r < batch; ++r) y[r * kClasses + random() % kClasses] = 1;
  }

  int64_t batch;
  Floats w1, b1, w2, b2, w3, b3;
  Floats x, y, h1, h2, logits, p;
};

class Forward {
 public:
  Forward(const Model& m, DenseLayer::Weights weights)
      : engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        layer1_(engine_, m.batch, kIn, kHidden, true, weights, m.x, m.w1, m.b1, m.h1),
        layer2_(engine_, m.batch, kHidden, kHidden, true, weights, m.h1, m.w2, m.b2, m.h2),
        layer3_(engine_, m.batch, kHidden, kClasses, false, weights, m.h2, m.w3, m.b3, m.logits) {}

  void Run(const Model& m) const {
    layer1_.Run(stream_);
    layer2_.Run(stream_);
    layer3_.Run(stream_);
    Softmax(m.batch, m.logits.data(), m.p.data());
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  DenseLayer layer1_, layer2_, layer3_;
};

// How to update the weights of a layer.
enum class WeightUpdate {
  // Compute the gradient, then subtract it, as the graph does.
  kSeparate,
  // Compute w = -rate x^T dy + w in one product, without storing the gradient.
  kInProduct,
};

class Trainer {
 public:
  Trainer(const Model& m, WeightUpdate update)
      : forward_(m, DenseLayer::Weights::kAsTheyAre),
        update_(update),
        dlogits_(m.batch * kClasses),
        dh2_(m.batch * kHidden),
        dh1_(m.batch * kHidden),
        dw_(kIn * kHidden),
        db_(kHidden) {}

  float Step(const Model& m) const {
    forward_.Run(m);
    const float loss = LossGradient(m);
    BackLayer(m.batch, kHidden, kClasses, m.h2, m.w3, m.b3, dlogits_, &dh2_);
    BackLayer(m.batch, kHidden, kHidden, m.h1, m.w2, m.b2, dh2_, &dh1_);
    BackLayer(m.batch, kIn, kHidden, m.x, m.w1, m.b1, dh1_, nullptr);
    return loss;
  }

 private:
  // loss = mean(-sum(y log p)); dp = -y / p / batch; dlogits = (dp - sum(dp p)) p.
  float LossGradient(const Model& m) const {
    float loss = 0;
    for (int64_t r = 0; r < m.batch; ++r) {
      const float* p = m.p.data() + r * kClasses;
      const float* y = m.y.data() + r * kClasses;
      float* d = dlogits_.data() + r * kClasses;
      float sum = 0;
      for (int64_t i = 0; i < kClasses; ++i) {
        loss -= y[i] * std::log(p[i]);
        d[i] = -y[i] / p[i] / static_cast<float>(m.batch);
        sum += d[i] * p[i];
      }
      for (int64_t i = 0; i < kClasses; ++i) d[i] = (d[i] - sum) * p[i];
    }
    return loss / static_cast<float>(m.batch);
  }

  // Computes dx from dy, through the relu that computed x, then updates w and b.
  void BackLayer(int64_t batch, int64_t in, int64_t out, const Floats& x, const Floats& w,
                 const Floats& b, const Floats& dy, const Floats* dx) const {
    if (dx != nullptr) {
      dnnl_sgemm('N', 'T', batch, in, out, 1.0f, dy.data(), out, w.data(), out, 0.0f, dx->data(),
                 in);
      const float* h = x.data();
      float* d = dx->data();
#pragma omp simd
      for (int64_t i = 0; i < batch * in; ++i) d[i] = h[i] > 0 ? d[i] : 0.0f;
    }
    UpdateBias(batch, out, dy.data(), b.data());
    UpdateWeights(batch, in, out, x, w, dy);
  }

  void UpdateBias(int64_t batch, int64_t out, const float* dy, float* b) const {
    float* sum = db_.data();
    std::fill(sum, sum + out, 0.0f);
    for (int64_t r = 0; r < batch; ++r) {
#pragma omp simd
      for (int64_t i = 0; i < out; ++i) sum[i] += dy[r * out + i];
    }
#pragma omp simd
    for (int64_t i = 0; i < out; ++i) b[i] -= kRate * sum[i];
  }

  void UpdateWeights(int64_t batch, int64_t in, int64_t out, const Floats& x, const Floats& weights,
                     const Floats& dy) const {
    float* w = weights.data();
    if (update_ == WeightUpdate::kInProduct) {
      dnnl_sgemm('T', 'N', in, out, batch, -kRate, x.data(), in, dy.data(), out, 1.0f, w, out);
      return;
    }
    float* dw = dw_.data();
    dnnl_sgemm('T', 'N', in, out, batch, 1.0f, x.data(), in, dy.data(), out, 0.0f, dw, out);
    const int64_t n = in * out;
#pragma omp parallel for simd if (n >= 32768)
    for (int64_t i = 0; i < n; ++i) w[i] -= kRate * dw[i];
  }

  Forward forward_;
  WeightUpdate update_;
  Floats dlogits_, dh2_, dh1_, dw_, db_;
};

void TrainStep(benchmark::State& state, int threads, WeightUpdate update) {
  omp_set_num_threads(threads);
  const Model model(50);
  const Trainer trainer(model, update);
  for (auto _ : state) benchmark::DoNotOptimize(trainer.Step(model));
  state.SetItemsProcessed(state.iterations() * model.batch);
}

void Inference(benchmark::State& state, int threads, int64_t batch) {
  omp_set_num_threads(threads);
  const Model model(batch);
  // Packed weights are faster for one row. For a batch, oneDNN packs them during the product at no
  // extra cost.
  const Forward forward(
      model, batch == 1 ? DenseLayer::Weights::kPacked : DenseLayer::Weights::kAsTheyAre);
  for (auto _ : state) {
    forward.Run(model);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * batch);
}

const bool registered = [] {
  for (const int threads : {1, 2}) {
    const std::string suffix = "/threads:" + std::to_string(threads);
    benchmark::RegisterBenchmark(("floor/mlp_train_step" + suffix).c_str(), TrainStep, threads,
                                 WeightUpdate::kSeparate)
        ->UseRealTime();
    benchmark::RegisterBenchmark(("floor/mlp_train_step_update_in_product" + suffix).c_str(),
                                 TrainStep, threads, WeightUpdate::kInProduct)
        ->UseRealTime();
    for (const int64_t batch : {1, 50}) {
      benchmark::RegisterBenchmark(
          ("floor/mlp_inference/batch:" + std::to_string(batch) + suffix).c_str(), Inference,
          threads, batch)
          ->UseRealTime();
    }
  }
  return true;
}();

}  // namespace
