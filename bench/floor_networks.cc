// The floor of the networks of bench/networks: the oneDNN primitives that each one needs, created
// once and executed one after the other on data in the layouts that oneDNN chooses, without a
// graph. Reorders between layouts and copies of feeds are left out. For chains of cheap
// element-wise ops it is a copy of the array.

#include <benchmark/benchmark.h>
#include <omp.h>

#include <cstring>
#include <functional>
#include <string>

#include "floor_sequence.h"

namespace {

using dnnl::memory;
using floors::Eltwise;
using floors::Plain;
using floors::Sequence;

void Cnn(Sequence& s, int64_t batch) {
  s.Convolve(32, 5, 1, true, true);
  s.Pool();
  s.Convolve(64, 5, 1, true);
  s.Pool();
  s.Reshape({batch, 3136});
  s.Dense(1024, Eltwise(dnnl::algorithm::eltwise_relu));
  s.Dense(10);
  s.Update(2);
}

// How the layers of a ResNet-20 are normalized: with moments of the batch, or not at all, since
// moments that training has kept can be folded into the kernels.
enum class Moments { kOfBatch, kFolded };

void Resnet20(Sequence& s, int64_t batch, Moments moments) {
  const auto layer = [&](int64_t channels, int64_t size, int64_t stride, bool relu,
                         bool first = false) {
    const bool folded = moments == Moments::kFolded;
    s.Convolve(channels, size, stride, folded && relu, first);
    if (!folded) s.Normalize(relu);
  };
  layer(16, 3, 1, true, true);
  for (const int64_t channels : {16, 32, 64}) {
    for (int block = 0; block < 3; ++block) {
      const int64_t stride = channels > 16 && block == 0 ? 2 : 1;
      const memory before = s.at();
      layer(channels, 3, stride, true);
      layer(channels, 3, 1, false);
      const memory sum = s.at();
      memory shortcut = before;
      if (stride == 2) {
        s.set_at(before);
        layer(channels, 1, stride, false);
        shortcut = s.at();
        s.set_at(sum);
      }
      s.Add(shortcut);
    }
  }
  s.Reshape({batch, 64});
  s.Dense(10);
  s.Update(1);
}

// The products of all steps of the loop as one, without activations. oneDNN's own LSTM
// takes more than twice as long.
void Lstm(Sequence& s) {
  constexpr int64_t kSteps = 32, kRows = 16, kIn = 64, kWidth = 128;
  s.Reshape({kSteps * kRows, kIn + kWidth});
  s.Dense(4 * kWidth);
  s.Update(2);
}

// GELU and the sums around the blocks are applied by the products.
void Encoder(Sequence& s, int64_t batch) {
  const int64_t rows = batch * 64;
  dnnl::post_ops residual;
  residual.append_sum(1.0f);
  for (int layer = 0; layer < 4; ++layer) {
    const memory input = s.at();
    for (int i = 0; i < 3; ++i) {
      s.set_at(input);
      s.Dense(128);
    }
    s.Reshape({batch, 4, 64, 32});
    s.BatchedProduct(
        s.New(memory::desc({batch, 4, 32, 64}, memory::data_type::f32, memory::format_tag::abdc)),
        {batch, 4, 64, 64});
    s.Softmax();
    s.BatchedProduct(s.New(Plain({batch, 4, 64, 32})), {batch, 4, 64, 32});
    s.Reshape({rows, 128});
    s.Dense(128, residual);
    s.LayerNorm();
    s.Dense(512, Eltwise(dnnl::algorithm::eltwise_gelu_erf));
    s.Dense(128, residual);
    s.LayerNorm();
  }
}

void Measure(benchmark::State& state, int threads, const memory::dims& input, bool training,
             const std::function<void(Sequence&)>& build) {
  omp_set_num_threads(threads);
  Sequence sequence(input, training);
  build(sequence);
  for (auto _ : state) sequence.Run();
}

// Copies 16 MiB of float32, the array of the chains.
void Copy(benchmark::State& state, int threads) {
  omp_set_num_threads(threads);
  const int64_t n = 1 << 22;
  std::vector<float> from(n, 1.0f), to(n, 0.0f);
  for (auto _ : state) {
#pragma omp parallel for
    for (int64_t i = 0; i < n; i += n / 64) {
      std::memcpy(to.data() + i, from.data() + i, n / 64 * sizeof(float));
    }
    benchmark::ClobberMemory();
  }
}

void Register(const std::string& name, int threads, const memory::dims& input,
              const std::function<void(Sequence&)>& build) {
  const bool training = name.ends_with("_train");
  benchmark::RegisterBenchmark(
      ("floor/" + name + "/threads:" + std::to_string(threads)).c_str(),
      [=](benchmark::State& state) { Measure(state, threads, input, training, build); })
      ->UseRealTime();
}

const bool registered = [] {
  for (const int threads : {1, 2}) {
    for (const int64_t batch : {50, 1}) {
      Register("cnn_infer_" + std::to_string(batch), threads, {batch, 1, 28, 28},
               [=](Sequence& s) { Cnn(s, batch); });
    }
    Register("cnn_train", threads, {50, 1, 28, 28}, [](Sequence& s) { Cnn(s, 50); });
    for (const int64_t batch : {32, 1}) {
      Register("resnet20_frozen_infer_" + std::to_string(batch), threads, {batch, 3, 32, 32},
               [=](Sequence& s) { Resnet20(s, batch, Moments::kFolded); });
    }
    for (const char* name : {"resnet20_train", "resnet20_infer_32"}) {
      Register(name, threads, {32, 3, 32, 32},
               [](Sequence& s) { Resnet20(s, 32, Moments::kOfBatch); });
    }
    for (const char* name : {"lstm_train", "lstm_infer"}) {
      Register(name, threads, {1, 1}, Lstm);
    }
    for (const int64_t batch : {8, 1}) {
      Register("encoder_infer_" + std::to_string(batch), threads, {batch * 64, 128},
               [=](Sequence& s) { Encoder(s, batch); });
    }
    for (const char* name : {"chain_forward", "chain_gradient"}) {
      benchmark::RegisterBenchmark(
          ("floor/" + std::string(name) + "/threads:" + std::to_string(threads)).c_str(), Copy,
          threads)
          ->UseRealTime();
    }
  }
  return true;
}();

}  // namespace
