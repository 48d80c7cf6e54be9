// Clones a network within its graph, without the code that built it: only a .meta file and the
// names of its inputs and outputs are known. The copy has its own variables, which start from the
// values of the original. The original is trained and the copy follows it, at once or by a moving
// average. Then the copy is trained separately and saved as a checkpoint that the original can
// load.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>

#include "network.h"

namespace example {
namespace {

namespace rm = ramet;
namespace fs = std::filesystem;

rm::Operation TrainingStep(const rm::Output& out, const rm::Output& y,
                           const std::vector<rm::Variable>& variables) {
  auto loss = rm::ReduceMean(rm::Square(out - y));
  return rm::GradientDescent(0.1).Minimize(loss, {.var_list = variables});
}

int Duplicate(const std::string& theirs, const std::string& ours) {
  rm::Graph graph;
  rm::Scope s(graph);
  auto imported = rm::ImportMetaGraph(graph, theirs + ".meta").value();
  auto session = rm::Session::Create(graph).value();
  imported.saver.Restore(session, theirs).value();

  // Copy everything between "x:0" and "out:0"; the copy gets its own variables.
  const std::vector<rm::Variable> originals = s.TrainableVariables();
  auto copy =
      rm::Clone(
          graph,
          {.inputs = {"x:0"}, .outputs = {"out:0"}, .dst_scope = "copy", .initial = rm::kCurrent})
          .value();
  session.Run(copy.init_op()).value();  // initializes only the variables of the copy

  auto x = graph.Tensor("x:0").value(), out = graph.Tensor("out:0").value();
  auto copied_x = copy.Transformed(x), copied_out = copy.Transformed(out);
  const Examples known = Products(1), twice = Products(2);
  auto difference = [&] {
    auto both = session.Run({{x, known.x}, {copied_x, known.x}}, {out, copied_out}).value();
    double most = 0;
    for (int64_t i = 0; i < both[0].num_elements(); ++i) {
      most = std::max(most, std::fabs(double{both[0].data<float>()[i]} - both[1].data<float>()[i]));
    }
    return most;
  };
  std::printf("%zu operations and %zu variables were copied.\n", copy.operations().size(),
              copy.variables().size());
  std::printf("Right after cloning they differ by %g.\n", difference());

  // Train the original on a different function. The copy does not change until it is updated.
  auto y = s.Placeholder("y_new", rm::kFloat, {-1, 1});
  auto step = TrainingStep(out, y, originals);
  auto learn = [&] { session.Run({{x, twice.x}, {y, twice.y}}, step).value(); };
  for (int i = 0; i < 200; ++i) learn();
  std::printf("After 200 steps of the original they differ by %.3f.\n", difference());
  session.Run(copy.UpdateOp().value()).value();
  std::printf("After an update they differ by %g.\n", difference());

  // Let the copy follow slowly, like a target network in Q-learning:
  // copy = 0.05 * original + 0.95 * copy.
  auto follow = copy.PolyakOp(0.05).value();
  for (int i = 0; i < 200; ++i) learn(), session.Run(follow).value();
  std::printf("After 200 steps with a moving average they differ by %.4f.\n", difference());

  // Train the copy. The original does not change.
  std::vector<rm::Variable> copies;
  for (const rm::ClonedVariable& v : copy.variables()) copies.push_back(v.copy);
  auto own_step = TrainingStep(copied_out, y, copies);
  const rm::Tensor before = session.Value(originals[0]).value();
  for (int i = 0; i < 200; ++i) session.Run({{copied_x, known.x}, {y, known.y}}, own_step).value();
  const bool moved = !session.Value(originals[0]).value().BitwiseEquals(before);
  std::printf("After 200 steps of the copy they differ by %.3f; the original %s.\n", difference(),
              moved ? "has changed" : "has not changed");

  // Save the copy under the names that the originals have in their checkpoints.
  rm::SaverOptions as_original;
  for (const rm::ClonedCheckpointEntry& entry : copy.SaverMap()) {
    as_original.var_map.emplace_back(entry.name, entry.variables[0]);
  }
  const std::string saved = rm::Saver(graph, as_original).Save(session, ours).value();
  rm::Saver of_originals(graph, {.var_list = originals});
  of_originals.Restore(session, saved).value();
  std::printf(
      "Saved under the original's names and restored into the original: they differ by %g.\n",
      difference());
  return moved || difference() != 0 ? 1 : 0;
}

}  // namespace
}  // namespace example

int main() try {
  std::string name = (std::filesystem::temp_directory_path() / "clone.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
  example::SomebodyTrains(name + "/theirs");
  const int exit_code = example::Duplicate(name + "/theirs", name + "/ours");
  std::filesystem::remove_all(name);
  return exit_code;
} catch (const std::exception& e) {
  std::cerr << "clone_a_network: " << e.what() << "\n";
  return 1;
}
