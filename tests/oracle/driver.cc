// oracle_driver COMMAND ARGS...: runs a single command with Ramet, for tests that compare it with
// TensorFlow. Tensors are raw little-endian float32 files.
//
//   build PREFIX              a three-layer network with seeded weights, saved at PREFIX
//   infer PREFIX IN OUT [TENSOR]  imports PREFIX.meta, restores, feeds IN [n,784], writes out:0
//   train PREFIX DATA STEPS TO  imports, restores, trains on DATA (STEPS batches of 50 images [784]
//                             and labels [10]), prints one loss per line, saves to TO
//   tune PREFIX LAYER stop_gradient|var_list|all DATA STEPS TO  imports, restores, cuts at LAYER,
//                             adds a head "our_head", trains it (with `all`, everything) on DATA
//                             as above, prints one loss per line, saves to TO
//   resave PREFIX TO          imports, restores, saves to TO
//   overwrite PREFIX TIMES    imports, restores, saves onto PREFIX TIMES times, each time with all
//                             values incremented by 1
//   copy FROM TO v1|v2          copies a checkpoint of either format
//   print PREFIX                prints CheckpointReader::DebugString

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "ramet/ramet.h"

namespace rm = ramet;

namespace {

constexpr int kBatch = 50;

rm::Tensor ReadFloats(const std::string& path, int64_t columns) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const int64_t rows = static_cast<int64_t>(bytes.size()) / 4 / columns;
  rm::Tensor t(rm::kFloat, {rows, columns});
  bytes.copy(reinterpret_cast<char*>(t.mutable_data<float>()), t.bytes());
  return t;
}

void WriteFloats(const std::string& path, const rm::Tensor& t) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(t.data<float>()),
             static_cast<std::streamsize>(t.bytes()));
}

rm::Tensor Rows(const rm::Tensor& all, int64_t first, int64_t count) {
  rm::Tensor part(rm::kFloat, {count, all.dim(1)});
  auto from = all.flat<float>().subspan(static_cast<size_t>(first * all.dim(1)));
  std::copy_n(from.begin(), part.num_elements(), part.mutable_data<float>());
  return part;
}

void Build(const std::string& prefix) {
  rm::Graph g;
  rm::Scope s(g);
  auto x = s.Placeholder("x", rm::kFloat, {-1, 784});
  auto labels = s.Placeholder("labels", rm::kFloat, {-1, 10});
  auto w0 = s.GetVariable("w0", {784, 256}, rm::GlorotUniform(1));
  auto w1 = s.GetVariable("w1", {256, 256}, rm::GlorotUniform(2));
  auto w2 = s.GetVariable("w2", {256, 10}, rm::GlorotUniform(3));
  auto zeros = [](int64_t n) { return rm::Tensor::Of<float>({n}, {0.0f}); };
  auto b0 = s.NewVariable(zeros(256));
  auto b1 = s.NewVariable(zeros(256));
  auto b2 = s.NewVariable(zeros(10));
  auto h1 = rm::Relu(rm::MatMul(x, w0) + b0);
  auto h2 = rm::Relu(rm::MatMul(h1, w1) + b1);
  auto out = rm::Softmax(rm::MatMul(h2, w2) + b2, "out");
  auto loss = rm::ReduceMean(-rm::ReduceSum(labels * rm::Log(out), {1}));
  g.collections().Add("losses", loss);
  rm::GradientDescent(0.1).Minimize(loss);
  rm::Saver saver(g);
  auto session = rm::Session::Create(g).value();
  session.Run(s.GlobalVariablesInitializer()).value();
  saver.Save(session, prefix).value();
}

struct Loaded {
  explicit Loaded(const std::string& prefix)
      : imported(rm::ImportMetaGraph(graph, prefix + ".meta").value()),
        session(rm::Session::Create(graph).value()) {
    if (rm::Status s = imported.saver.Restore(session, prefix); !s.ok())
      throw rm::BadStatusAccess(s);
  }

  rm::Graph graph;
  rm::ImportedMetaGraph imported;
  rm::Session session;
};

void Infer(const std::string& prefix, const std::string& in, const std::string& out,
           const std::string& fetch) {
  Loaded model(prefix);
  WriteFloats(out, model.session.Run({{"x:0", ReadFloats(in, 784)}}, fetch).value());
}

void RunSteps(rm::Session& session, const rm::GraphElement& labels, const rm::Output& loss,
              const rm::Operation& train, const std::string& data, int steps) {
  rm::Tensor all = ReadFloats(data, 794);
  for (int i = 0; i < steps; ++i) {
    rm::Tensor rows = Rows(all, i * kBatch, kBatch);
    rm::Tensor images(rm::kFloat, {kBatch, 784}), answers(rm::kFloat, {kBatch, 10});
    for (int64_t r = 0; r < kBatch; ++r) {
      const float* row = rows.data<float>() + r * 794;
      std::copy_n(row, 784, images.mutable_data<float>() + r * 784);
      std::copy_n(row + 784, 10, answers.mutable_data<float>() + r * 10);
    }
    auto got = session.Run({{"x:0", images}, {labels, answers}}, {loss, train}).value();
    std::printf("%.9g\n", got[0].scalar<float>());
  }
}

void Train(const std::string& prefix, const std::string& data, int steps, const std::string& to) {
  Loaded model(prefix);
  auto train = model.graph.collections().Get<rm::Operation>("train_op").at(0);
  auto loss = model.graph.collections().Get<rm::Output>("losses").at(0);
  RunSteps(model.session, "labels:0", loss, train, data, steps);
  model.imported.saver.Save(model.session, to).value();
}

std::vector<rm::Variable> Without(std::vector<rm::Variable> variables,
                                  const std::vector<rm::Variable>& others) {
  std::erase_if(variables, [&](auto& v) { return std::ranges::count(others, v) != 0; });
  return variables;
}

struct Head {
  rm::Output labels, loss;
};

Head AddHead(rm::Scope& root, const rm::Output& features) {
  rm::Scope s = root.VariableScope("our_head");
  auto labels = s.Placeholder("labels", rm::kFloat, {-1, 10});
  auto w = s.GetVariable("w", {features.shape().dim(1), 10}, rm::GlorotUniform(5));
  auto b = s.GetVariable("b", {10}, rm::Zeros());
  auto logits = rm::BiasAdd(rm::MatMul(features, w), b, "logits");
  rm::Softmax(logits, "out");
  return {labels, rm::ReduceMean(rm::SoftmaxCrossEntropy(labels, logits))};
}

void Tune(const std::string& prefix, const std::string& layer, const std::string& how,
          const std::string& data, int steps, const std::string& to) {
  Loaded model(prefix);
  rm::Scope s(model.graph);
  const auto theirs = s.GlobalVariables();
  rm::Output features = model.graph.Tensor(layer).value();
  if (how == "stop_gradient") features = rm::StopGradient(features);
  const Head head = AddHead(s, features);
  rm::MinimizeOptions options;
  if (how == "var_list") options.var_list = Without(s.TrainableVariables(), theirs);
  auto train = rm::Momentum(0.05, 0.9, {.name = "OurMomentum"}).Minimize(head.loss, options);
  model.session.Run(s.VariablesInitializer(Without(s.GlobalVariables(), theirs))).value();
  RunSteps(model.session, head.labels, head.loss, train, data, steps);
  rm::Saver(model.graph, {.name = "our_save"}).Save(model.session, to).value();
}

void Resave(const std::string& prefix, const std::string& to) {
  Loaded model(prefix);
  model.imported.saver.Save(model.session, to).value();
}

void Overwrite(const std::string& prefix, int times) {
  Loaded model(prefix);
  for (int i = 0; i < times; ++i) {
    for (const rm::Variable& v : model.imported.info.variables) {
      rm::Tensor value = model.session.Value(v).value().DeepCopy().value();
      for (float& f : value.mutable_flat<float>()) f += 1;
      if (rm::Status s = model.session.Assign(v, value); !s.ok()) throw rm::BadStatusAccess(s);
    }
    model.imported.saver.Save(model.session, prefix, {.write_meta_graph = false}).value();
  }
}

void Check(const rm::Status& status) {
  if (!status.ok()) throw rm::BadStatusAccess(status);
}

void Copy(const std::string& from, const std::string& to, const std::string& format) {
  rm::CheckpointReader reader = rm::CheckpointReader::Open(from).value();
  rm::CopyCheckpointOptions options;
  if (format == "v1") options.format = rm::CheckpointFormat::kV1;
  Check(rm::CopyCheckpoint(reader, to, options));
}

void Print(const std::string& prefix) {
  std::cout << rm::CheckpointReader::Open(prefix).value().DebugString().value();
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<std::string> args(argv + 1, argv + argc);
  const std::string command = args.empty() ? "" : args[0];
  if (command == "build" && args.size() == 2) {
    Build(args[1]);
  } else if (command == "infer" && (args.size() == 4 || args.size() == 5)) {
    Infer(args[1], args[2], args[3], args.size() == 5 ? args[4] : "out:0");
  } else if (command == "train" && args.size() == 5) {
    Train(args[1], args[2], std::atoi(args[3].c_str()), args[4]);
  } else if (command == "tune" && args.size() == 7) {
    Tune(args[1], args[2], args[3], args[4], std::atoi(args[5].c_str()), args[6]);
  } else if (command == "resave" && args.size() == 3) {
    Resave(args[1], args[2]);
  } else if (command == "overwrite" && args.size() == 3) {
    Overwrite(args[1], std::atoi(args[2].c_str()));
  } else if (command == "copy" && args.size() == 4) {
    Copy(args[1], args[2], args[3]);
  } else if (command == "print" && args.size() == 2) {
    Print(args[1]);
  } else {
    std::cerr << "unknown command; see the head of driver.cc\n";
    return 2;
  }
  return 0;
} catch (const rm::BadStatusAccess& e) {
  std::cerr << e.what() << "\n";
  return 1;
}
