#include <string>
#include <string_view>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/logging/tensor_text.h"

namespace ramet {
namespace {

// Returns the parts of the template before, between and after the placeholders. An empty
// placeholder matches between characters.
std::vector<std::string> SplitTemplate(std::string_view text, std::string_view placeholder) {
  std::vector<std::string> pieces;
  if (placeholder.empty()) {
    for (const char c : text) pieces.emplace_back(1, c);
    if (pieces.empty()) pieces.emplace_back();
    return pieces;
  }
  for (size_t at; (at = text.find(placeholder)) != std::string_view::npos;) {
    pieces.emplace_back(text.substr(0, at));
    text.remove_prefix(at + placeholder.size());
  }
  pieces.emplace_back(text);
  return pieces;
}

std::vector<std::string> TemplatePieces(const AttrMap& attrs) {
  return SplitTemplate(attrs.GetOr<std::string>("template", "%s"),
                       attrs.GetOr<std::string>("placeholder", "%s"));
}

class StringFormatKernel final : public Kernel {
 public:
  StringFormatKernel(std::vector<std::string> pieces, int64_t summarize)
      : pieces_(std::move(pieces)), summarize_(summarize) {}

  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    auto pieces = TemplatePieces(*node.attrs);
    if (pieces.size() != node.input_types.size() + 1) {
      return InvalidArgument("expects ", pieces.size() - 1, " placeholders, got ",
                             node.input_types.size());
    }
    return std::unique_ptr<Kernel>(std::make_unique<StringFormatKernel>(
        std::move(pieces), node.attrs->GetOr("summarize", int64_t{3})));
  }

  Status Compute(KernelContext& c) override {
    std::string text = pieces_[0];
    for (int i = 0; i < c.num_inputs(); ++i) {
      text += EdgesText(c.input(i), summarize_);
      text += pieces_[i + 1];
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kString, Shape()));
    *y->mutable_data<std::string>() = std::move(text);
    return OkStatus();
  }

 private:
  const std::vector<std::string> pieces_;
  const int64_t summarize_;
};

Status StringFormatShape(ShapeContext& c) {
  const size_t placeholders = TemplatePieces(c.attrs()).size() - 1;
  if (placeholders != static_cast<size_t>(c.num_inputs())) {
    return InvalidArgument("num placeholders in template and num inputs must match: ", placeholders,
                           " vs. ", c.num_inputs());
  }
  return ScalarShape(c);
}

}  // namespace

RAMET_OP("StringFormat")
    .Input("inputs: T")
    .Output("output: string")
    .Attr("T: list(type) >= 0")
    .Attr("template: string = '%s'")
    .Attr("placeholder: string = '%s'")
    .Attr("summarize: int = 3")
    .Doc(
        "Returns the template, a scalar, in which each placeholder is replaced by the text of one "
        "input: the first and last `summarize` elements of each dimension (-1: all). Error: the "
        "numbers of placeholders and inputs differ (\"num placeholders in template and num inputs "
        "must match: 2 vs. 1\").")
    .HostMemory({"inputs", "output"})
    .Shape(StringFormatShape)
    .NotDifferentiable()
    .CpuKernelClass<StringFormatKernel>();

}  // namespace ramet
