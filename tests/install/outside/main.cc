// An outside program: builds a graph, duplicates it through its text format and runs the duplicate.
// Prints "float[1,2] 4 6".
#include <ramet/ramet.h>

#include <iostream>

namespace rm = ramet;

int main() {
  rm::Graph original;
  {
    rm::Scope s(original);
    auto x = s.Placeholder("x", rm::kFloat, {1, 2});
    auto w = rm::Constant(original, rm::Tensor::Of<float>({2, 2}, {2, 2, 1, 2}), "w");
    rm::AddOp(original, "MatMul", {x, w}, {}, "y");
  }
  auto text = rm::ExportGraphDef(original, {.as_text = true}).value();

  rm::Graph duplicate;
  rm::ImportGraphDef(duplicate, text, {.name = ""}).value();
  auto session = rm::Session::Create(duplicate).value();
  auto y = session.Run({{"x:0", rm::Tensor::Of<float>({1, 2}, {1, 2})}}, "y:0").value();
  std::cout << y << "\n";
}
