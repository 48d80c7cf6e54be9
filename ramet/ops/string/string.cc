#include <regex.h>

#include <memory>
#include <string>
#include <string_view>

#include "ramet/op/op.h"

namespace ramet {
namespace {

// Returns the common shape of all inputs that are not scalars.
StatusOr<Shape> JoinedShape(KernelContext& c) {
  Shape shape;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Shape& other = c.input(i).shape();
    if (other.rank() == 0) continue;
    if (shape.rank() != 0 && !(shape == other)) {
      return InvalidArgument("Input shapes do not match: input ", i, " has shape ", other,
                             ", an earlier input has shape ", shape);
    }
    shape = other;
  }
  return shape;
}

class StringJoinKernel final : public Kernel {
 public:
  static std::unique_ptr<StringJoinKernel> Make(const KernelNode& node) {
    return std::make_unique<StringJoinKernel>(node.attrs->GetOr<std::string>("separator", ""));
  }
  explicit StringJoinKernel(std::string separator) : separator_(std::move(separator)) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const Shape shape, JoinedShape(c));
    RAMET_ASSIGN_OR_RETURN(Tensor * joined, c.Allocate(0, DType::kString, shape));
    std::string* out = joined->mutable_data<std::string>();
    for (int64_t i = 0; i < joined->num_elements(); ++i) {
      for (int k = 0; k < c.num_inputs(); ++k) {
        const Tensor& part = c.input(k);
        if (k > 0) out[i] += separator_;
        out[i] += part.data<std::string>()[part.rank() == 0 ? 0 : i];
      }
    }
    return OkStatus();
  }

 private:
  const std::string separator_;
};

Status StringJoinShape(ShapeContext& c) {
  Shape shape;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Shape& other = c.input(i);
    if (other.unknown_rank()) return OkStatus();
    if (other.rank() == 0) continue;
    if (shape.rank() == 0) {
      shape = other;
    } else {
      RAMET_ASSIGN_OR_RETURN(shape, shape.MergeWith(other));
    }
  }
  c.set_output(0, shape);
  return OkStatus();
}

// A compiled POSIX extended regular expression.
class Pattern {
 public:
  Pattern() = default;
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() {
    if (compiled_) regfree(&regex_);
  }

  Status Compile(const std::string& text) {
    RAMET_ASSIGN_OR_RETURN(const std::string posix, ToPosix(text));
    const int error = regcomp(&regex_, posix.c_str(), REG_EXTENDED);
    compiled_ = error == 0;
    if (compiled_) return OkStatus();
    char reason[128];
    regerror(error, &regex_, reason, sizeof(reason));
    return InvalidArgument("Invalid pattern: ", text, ", error: ", reason);
  }

  bool Matches(const std::string& text) const {
    regmatch_t match;
    match.rm_so = 0;
    match.rm_eo = static_cast<regoff_t>(text.size());
    if (regexec(&regex_, text.c_str(), 1, &match, REG_STARTEND) != 0) return false;
    return match.rm_so == 0 && match.rm_eo == static_cast<regoff_t>(text.size());
  }

 private:
  // Converts the subset of RE2 that POSIX interprets in the same way. A dot matches everything
  // except a newline, as in RE2.
  static StatusOr<std::string> ToPosix(const std::string& text) {
    std::string posix;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      const char next = i + 1 < text.size() ? text[i + 1] : '\0';
      const bool repeats = c == '*' || c == '+' || c == '?';
      const bool literal =
          c == '\\' && next != '\0' &&
          std::string_view("\\.*+?()[]{}|^$/-").find(next) != std::string_view::npos;
      const bool foreign = c == '\0' || c == '[' || c == '{' || (c == '(' && next == '?') ||
                           (repeats && next == '?') || (repeats && next == '+') ||
                           (c == '\\' && !literal);
      if (foreign) {
        return Unimplemented("the pattern '", text, "' uses an unsupported construct at position ",
                             i, "; supported are . * + ? | ( ) ^ $ and backslashes before these");
      }
      if (literal) {
        posix += next == '/' || next == '-' ? std::string(1, next) : std::string{c, next};
        ++i;
      } else {
        posix += c == '.' ? std::string("[^\n]") : std::string(1, c);
      }
    }
    return posix;
  }

  regex_t regex_{};
  bool compiled_ = false;
};

class StaticRegexFullMatchKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(auto text, node.attrs->Get<std::string>("pattern"));
    auto kernel = std::make_unique<StaticRegexFullMatchKernel>();
    RAMET_RETURN_IF_ERROR(kernel->pattern_.Compile(text));
    return std::unique_ptr<Kernel>(std::move(kernel));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& text = c.input(0);
    RAMET_ASSIGN_OR_RETURN(Tensor * matches, c.Allocate(0, DType::kBool, text.shape()));
    for (int64_t i = 0; i < text.num_elements(); ++i) {
      matches->mutable_data<bool>()[i] = pattern_.Matches(text.data<std::string>()[i]);
    }
    return OkStatus();
  }

 private:
  Pattern pattern_;
};

Status SameShape(ShapeContext& c) {
  c.set_output(0, c.input(0));
  return OkStatus();
}

}  // namespace

RAMET_OP("StringJoin")
    .Input("inputs: N * string")
    .Output("output: string")
    .Attr("N: int >= 0")
    .Attr("separator: string = ''")
    .Doc(
        "Returns the concatenation of the strings of the inputs, element by element, with "
        "`separator` between them. Scalars are combined with every element of the other inputs, "
        "which must have the same shape. Error: the shapes differ.")
    .HostMemory({"inputs", "output"})
    .Shape(StringJoinShape)
    .NotDifferentiable()
    .CpuKernelClass<StringJoinKernel>();

RAMET_OP("StaticRegexFullMatch")
    .Input("input: string")
    .Output("output: bool")
    .Attr("pattern: string")
    .Doc(
        "Returns whether each string matches the regular expression `pattern` as a whole. The "
        "supported constructs are . * + ? | ( ) ^ $ and backslashes before these. The output has "
        "the shape of the input. Error: the pattern uses an unsupported construct (kUnimplemented) "
        "or is malformed.")
    .HostMemory({"input", "output"})
    .Shape(SameShape)
    .NotDifferentiable()
    .CpuKernelClass<StaticRegexFullMatchKernel>();

}  // namespace ramet
