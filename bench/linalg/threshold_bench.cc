// Benchmarks of the sizes from which ramet/linalg chooses another way: a thread, a block, a kernel.
// The comments of the constants name them. A threshold is right where the figures on both sides of
// it, with one thread and with two, meet.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "ramet/linalg/batch_norm.h"
#include "ramet/linalg/bias.h"
#include "ramet/linalg/broadcast.h"
#include "ramet/linalg/conv.h"
#include "ramet/linalg/gemm.h"
#include "ramet/linalg/packed_gemm.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/pooling.h"
#include "ramet/linalg/random.h"
#include "ramet/linalg/select.h"
#include "ramet/linalg/strided_copy.h"
#include "ramet/linalg/svd.h"

namespace {

using namespace ramet::linalg;  // NOLINT: not a library
using Floats = std::vector<float>;
using SharedFloats = std::shared_ptr<Floats>;

Floats Values(int64_t n) {
  Floats values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<float>(i * 37 % 1000) / 1000 - 0.5f;
  return values;
}

SharedFloats Room(int64_t n) { return std::make_shared<Floats>(n); }

// Registers the function that make() returns, for one thread and for two.
template <class Fn>
void Add(const std::string& name, const Fn& make) {
  for (const int threads : {1, 2}) {
    benchmark::RegisterBenchmark((name + "/threads:" + std::to_string(threads)).c_str(),
                                 [=](benchmark::State& state) {
                                   SetIntraOpThreads(threads);
                                   const auto run = make();
                                   for (auto _ : state) run();
                                 })
        ->UseRealTime();
  }
}

void AddGemm(const std::string& name, bool transpose_b, int64_t m, int64_t n, int64_t k) {
  const std::string shape = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  Add("gemm/" + name + "/" + shape, [=] {
    return [=, a = Values(m * k), b = Values(k * n), y = Room(m * n)] {
      Gemm<float>(false, transpose_b, m, n, k, a.data(), b.data(), y->data());
    };
  });
}

// Registers a product on a packed operand, on one that is packed in each product, and by Gemm.
void AddPackedGemm(int64_t m, int64_t n, int64_t k) {
  const std::string shape = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  for (const bool once : {true, false}) {
    Add(std::string("gemm/packed_") + (once ? "once/" : "each/") + shape, [=] {
      Floats b = Values(k * n), packed(PackedSize({false, n, k, b.data()}));
      Pack({false, n, k, b.data()}, packed.data());
      return [=, a = Values(m * k), b = std::move(b), packed = std::move(packed), y = Room(m * n)] {
        PackedGemm(m, a.data(), {false, n, k, b.data()}, once ? packed.data() : nullptr, y->data());
      };
    });
  }
  AddGemm("packed_never", false, m, n, k);
}

void AddConv(const std::string& name, const ConvGeometry& g) {
  Add("conv/" + name, [=] {
    return [=, x = Values(g.in_elements()), f = Values(g.filter_elements()),
            y = Room(g.out_elements())] { Conv(Type::kFloat, g, x.data(), f.data(), y->data()); };
  });
  Add("conv/input_gradient/" + name, [=] {
    return [=, f = Values(g.filter_elements()), dy = Values(g.out_elements()),
            dx = Room(g.in_elements())] {
      ConvBackpropInput(Type::kFloat, g, f.data(), dy.data(), dx->data());
    };
  });
}

ConvGeometry Images(int64_t batch, int64_t size, int64_t in, int64_t out, int64_t groups = 1) {
  ConvGeometry g;
  g.batch = batch;
  g.in_channels = in;
  g.out_channels = out;
  g.groups = groups;
  for (int d = 1; d < 3; ++d) {
    g.in[d] = g.out[d] = size;
    g.filter[d] = 3;
    g.pad[d] = 1;
  }
  return g;
}

void AddProducts() {
  for (const int64_t m : {4, 16, 64, 128, 192}) {
    for (const int64_t k : {128, 256, 512}) AddGemm("dots", true, m, 1000, k);
  }
  for (const int64_t m : {2, 4, 64, 128, 256}) {
    for (const int64_t n : {1024, 1040}) AddGemm("pages", false, m, n, 768);
  }
  for (const int64_t m : {1, 2, 4, 16, 32, 50, 128, 256}) {
    AddPackedGemm(m, 512, 192);
    AddPackedGemm(m, 256, 784);
    AddPackedGemm(m, 1024, 1024);
  }
  AddPackedGemm(50, 1024, 3136);
  for (const int64_t size : {4, 8, 28})
    AddConv("small/" + std::to_string(size), Images(1, size, 16, 16));
  for (const int64_t in : {3, 4, 8})
    AddConv("channels/" + std::to_string(in), Images(8, 56, in, 64));
  AddConv("depthwise", Images(8, 28, 64, 64, 64));
}

void AddMoves() {
  for (const int64_t n : {64, 128, 1000}) {
    Add("transpose/" + std::to_string(n), [=] {
      return [=, x = Values(n * n), y = Room(n * n)] {
        const int64_t dims[] = {n, n};
        const int order[] = {1, 0};
        Transpose(sizeof(float), dims, order, x.data(), y->data());
      };
    });
  }
  for (const int64_t rows : {1000, 8192, 1 << 20}) {
    Add("gather/" + std::to_string(rows), [=] {
      std::vector<int32_t> indices(1000);
      for (size_t i = 0; i < indices.size(); ++i)
        indices[i] = static_cast<int32_t>(i * 7919 % rows);
      return [=, x = Values(rows * 64), y = Room(1000 * 64)] {
        GatherRows(Type::kInt32, 1, rows, 64 * sizeof(float), x.data(), 1000, indices.data(),
                   y->data());
      };
    });
  }
  for (const int64_t n : {4096, 16384, 65536}) {
    Add("select/" + std::to_string(n), [=] {
      BroadcastPlan plan;
      const int64_t dims[] = {n};
      BroadcastPlan::Make(dims, dims, dims, &plan);
      return [=, a = Values(n), b = Values(n), y = Room(n),
              condition = std::shared_ptr<bool[]>(new bool[n]())] {
        Select(sizeof(float), plan, condition.get(), a.data(), b.data(), y->data());
      };
    });
  }
}

void AddLayers() {
  for (const int64_t rows : {16, 64, 256}) {
    Add("add_bias/" + std::to_string(rows) + "x256", [=] {
      return [=, bias = Values(256), y = Room(rows * 256)] {
        AddBias(Type::kFloat, rows, 256, bias.data(), true, y->data());
      };
    });
  }
  for (const int64_t size : {8, 28, 112}) {
    Add("pool/" + std::to_string(size), [=] {
      PoolGeometry g;
      g.channels = 32;
      for (int d = 1; d < 3; ++d)
        g.in[d] = size, g.window[d] = g.stride[d] = 2, g.out[d] = size / 2;
      return [=, x = Values(32 * g.in_pixels()), y = Room(32 * g.out_pixels())] {
        MaxPool(Type::kFloat, g, x.data(), y->data());
      };
    });
  }
  for (const int64_t rows : {64, 256, 4096}) {
    Add("batch_norm/" + std::to_string(rows) + "x64", [=] {
      return [=, x = Values(rows * 64), mean = Room(64), variance = Room(64)] {
        BatchMoments(Type::kFloat, {rows, 64, 1}, x.data(), mean->data(), variance->data());
      };
    });
  }
  for (const int64_t n : {1024, 4096, 16384}) {
    Add("normal/" + std::to_string(n),
        [=] { return [=, y = Room(n)] { FillNormal(Type::kFloat, Philox(1, 2), y->data(), n); }; });
  }
  for (const int64_t n : {32, 64, 188}) {
    Add("svd/" + std::to_string(n), [=] {
      return [=, a = Values(n * n), s = Room(n), u = Room(n * n), v = Room(n * n)] {
        Svd(n, n, a.data(), false, s->data(), u->data(), v->data());
      };
    });
  }
}

const bool registered = [] {
  AddProducts();
  AddMoves();
  AddLayers();
  return true;
}();

}  // namespace
