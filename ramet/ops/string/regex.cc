#include "ramet/base/mutex.h"
#include "ramet/ops/string/map.h"
#include "ramet/ops/string/re2_library.h"

// Ops on regular expressions in RE2's syntax.

namespace ramet {
namespace {

using RegexPtr = std::shared_ptr<const Regex>;

Status CheckScalar(std::string_view what, const Tensor& t) {
  if (t.rank() == 0) return OkStatus();
  return InvalidArgument(what, " must be scalar, but received ", t.shape());
}

// A RegexCache keeps the last regular expression that an input named. Thread-safe.
class RegexCache {
 public:
  StatusOr<RegexPtr> Get(const Tensor& pattern) {
    RAMET_RETURN_IF_ERROR(CheckScalar("Pattern", pattern));
    const std::string& text = pattern.scalar<std::string>();
    {
      MutexLock lock(mutex_);
      if (regex_ != nullptr && regex_->pattern() == text) return regex_;
    }
    RAMET_ASSIGN_OR_RETURN(RegexPtr regex, Regex::Compile(text));
    MutexLock lock(mutex_);
    regex_ = regex;
    return regex;
  }

 private:
  Mutex mutex_;
  RegexPtr regex_ RAMET_GUARDED_BY(mutex_);
};

Status FullMatch(KernelContext& c, const Regex& regex) {
  return MapStrings<bool>(c, [&](const std::string& text, bool* matches) {
    *matches = regex.FullMatches(text);
    return OkStatus();
  });
}

Status Replace(KernelContext& c, const Regex& regex, const std::string& rewrite, bool global) {
  const bool valid = regex.IsRewrite(rewrite);
  return MapStrings<std::string>(c, [&](const std::string& text, std::string* out) {
    *out = text;
    if (valid && global) regex.ReplaceAll(rewrite, out);
    if (valid && !global) regex.Replace(rewrite, out);
    return OkStatus();
  });
}

class RegexFullMatchKernel final : public Kernel {
 public:
  static std::unique_ptr<Kernel> Make(const KernelNode&) {
    return std::make_unique<RegexFullMatchKernel>();
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const RegexPtr regex, cache_.Get(c.input(1)));
    return FullMatch(c, *regex);
  }

 private:
  RegexCache cache_;
};

class StaticRegexFullMatchKernel final : public Kernel {
 public:
  explicit StaticRegexFullMatchKernel(RegexPtr regex) : regex_(std::move(regex)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const auto pattern, node.attrs->Get<std::string>("pattern"));
    RAMET_ASSIGN_OR_RETURN(RegexPtr regex, Regex::Compile(pattern));
    return std::unique_ptr<Kernel>(std::make_unique<StaticRegexFullMatchKernel>(std::move(regex)));
  }
  Status Compute(KernelContext& c) override { return FullMatch(c, *regex_); }

 private:
  const RegexPtr regex_;
};

class RegexReplaceKernel final : public Kernel {
 public:
  explicit RegexReplaceKernel(bool global) : global_(global) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<RegexReplaceKernel>(node.attrs->GetOr("replace_global", true));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const RegexPtr regex, cache_.Get(c.input(1)));
    RAMET_RETURN_IF_ERROR(CheckScalar("Rewrite", c.input(2)));
    return Replace(c, *regex, c.input(2).scalar<std::string>(), global_);
  }

 private:
  const bool global_;
  RegexCache cache_;
};

class StaticRegexReplaceKernel final : public Kernel {
 public:
  StaticRegexReplaceKernel(RegexPtr regex, std::string rewrite, bool global)
      : regex_(std::move(regex)), rewrite_(std::move(rewrite)), global_(global) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const auto pattern, node.attrs->Get<std::string>("pattern"));
    RAMET_ASSIGN_OR_RETURN(RegexPtr regex, Regex::Compile(pattern));
    RAMET_ASSIGN_OR_RETURN(auto rewrite, node.attrs->Get<std::string>("rewrite"));
    return std::unique_ptr<Kernel>(std::make_unique<StaticRegexReplaceKernel>(
        std::move(regex), std::move(rewrite), node.attrs->GetOr("replace_global", true)));
  }
  Status Compute(KernelContext& c) override { return Replace(c, *regex_, rewrite_, global_); }

 private:
  const RegexPtr regex_;
  const std::string rewrite_;
  const bool global_;
};

// All inputs after the first one are scalars.
Status RegexShape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) RAMET_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  return UnchangedShape(c);
}

#define RAMET_REGEX_ERROR " The output has the shape of the input. Error: the pattern is invalid"

RAMET_OP("RegexFullMatch")
    .Input("input: string")
    .Input("pattern: string")
    .Output("output: bool")
    .Doc(
        "Returns whether each string matches the pattern, a scalar with a regular expression in "
        "RE2's syntax, completely." RAMET_REGEX_ERROR " or not a scalar.")
    .HostMemory({"input", "pattern", "output"})
    .Shape(RegexShape)
    .NotDifferentiable()
    .CpuKernelClass<RegexFullMatchKernel>();

RAMET_OP("StaticRegexFullMatch")
    .Input("input: string")
    .Output("output: bool")
    .Attr("pattern: string")
    .Doc(
        "Returns whether each string matches the pattern, a regular expression in RE2's syntax, "
        "completely." RAMET_REGEX_ERROR ".")
    .HostMemory({"input", "output"})
    .Shape(RegexShape)
    .NotDifferentiable()
    .CpuKernelClass<StaticRegexFullMatchKernel>();

RAMET_OP("RegexReplace")
    .Input("input: string")
    .Input("pattern: string")
    .Input("rewrite: string")
    .Output("output: string")
    .Attr("replace_global: bool = true")
    .Doc(
        "Returns the strings with all matches of the pattern, or the first one, replaced by "
        "`rewrite`, where \\\\0 is the match and \\\\1 to \\\\9 are its groups. Strings do not "
        "change if "
        "`rewrite` is invalid." RAMET_REGEX_ERROR "; pattern or rewrite is not a scalar.")
    .Shape(RegexShape)
    .NotDifferentiable()
    .CpuKernelClass<RegexReplaceKernel>();

RAMET_OP("StaticRegexReplace")
    .Input("input: string")
    .Output("output: string")
    .Attr("pattern: string")
    .Attr("rewrite: string")
    .Attr("replace_global: bool = true")
    .Doc(
        "Returns the strings with all matches of the pattern, or the first one, replaced by "
        "`rewrite`, where \\\\0 is the match and \\\\1 to \\\\9 are its groups. Strings do not "
        "change if "
        "`rewrite` is invalid." RAMET_REGEX_ERROR ".")
    .Shape(RegexShape)
    .NotDifferentiable()
    .CpuKernelClass<StaticRegexReplaceKernel>();

}  // namespace
}  // namespace ramet
