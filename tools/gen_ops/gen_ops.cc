// gen_ops [--check] ROOT: writes ramet/builders/ops.gen.h, ramet/builders/ops.gen.cc and
// docs/ops.md of the source tree ROOT from the op registry; with --check only compares, and fails
// on a difference.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "writers.h"

namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// 0, or 1 after saying what is wrong.
int Put(const std::filesystem::path& path, const std::string& text, bool check) {
  if (ReadFile(path) == text) return 0;
  if (check) {
    std::cerr << path.string()
              << " is not what gen_ops makes of the op registry; run gen_ops ROOT\n";
    return 1;
  }
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (out.flush()) return 0;
  std::cerr << "cannot write " << path.string() << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 + check || argv[argc - 1][0] == '-') {
    std::cerr << "usage: gen_ops [--check] ROOT\n";
    return 2;
  }
  const std::filesystem::path root = argv[argc - 1];
  const std::vector<const ramet::Op*> ops = ramet::OpRegistry::Global().All();
  std::vector<gen_ops::Signature> signatures;
  for (const ramet::Op* op : ops) {
    if (gen_ops::IsLeftOut(op->name())) continue;
    auto signature = gen_ops::MakeSignature(*op);
    if (!signature.ok()) {
      std::cerr << signature.status().ToString() << "\n";
      return 1;
    }
    signatures.push_back(*signature);
  }
  int bad = Put(root / "ramet/builders/ops.gen.h", gen_ops::HeaderText(signatures), check);
  bad += Put(root / "ramet/builders/ops.gen.cc", gen_ops::SourceText(signatures), check);
  bad += Put(root / "docs/ops.md", gen_ops::DocsText(ops), check);
  return bad == 0 ? 0 : 1;
}
