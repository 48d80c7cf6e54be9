#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "ramet/base/log.h"
#include "ramet/gradients/gradient_context.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/identity.h"
#include "ramet/ops/logging/tensor_text.h"

namespace ramet {
namespace {

// Writes the text in one piece, so that the output of several threads does not mix.
void Write(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

class PrintKernel final : public Kernel {
 public:
  explicit PrintKernel(const AttrMap& attrs)
      : message_(attrs.GetOr<std::string>("message", "")),
        first_n_(attrs.GetOr("first_n", int64_t{-1})),
        summarize_(attrs.GetOr("summarize", int64_t{3})) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<PrintKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    RAMET_RETURN_IF_ERROR(ForwardInput(c));
    if (first_n_ >= 0 && calls_.fetch_add(1, std::memory_order_relaxed) >= first_n_) {
      return OkStatus();
    }
    std::string text = message_;
    for (int i = 1; i < c.num_inputs(); ++i) {
      text += StrCat("[", HeadText(c.input(i), summarize_), "]");
    }
    Write(stderr, text + "\n");
    return OkStatus();
  }

 private:
  const std::string message_;
  const int64_t first_n_;
  const int64_t summarize_;
  std::atomic<int64_t> calls_ = 0;
};

Status PrintGradient(GradientContext& c) {
  std::vector<Gradient> grads(c.num_inputs());
  grads[0] = c.raw_grad();
  return c.Return(std::move(grads));
}

constexpr std::string_view kFilePrefix = "file://";
constexpr std::string_view kStreams[] = {"stdout", "stderr", "log(info)", "log(warning)",
                                         "log(error)"};

Status AppendToFile(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "ae");
  bool written = false;
  if (file != nullptr) {
    written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    written = std::fclose(file) == 0 && written;
  }
  if (written) return OkStatus();
  const int error = errno;
  const std::string message = StrCat(path, "; ", std::strerror(error));
  if (error == ENOENT) return NotFound(message);
  if (error == EACCES || error == EPERM) return PermissionDenied(message);
  return Unknown(message);
}

class PrintV2Kernel final : public Kernel {
 public:
  PrintV2Kernel(std::string stream, std::string end)
      : stream_(std::move(stream)), end_(std::move(end)) {}

  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    auto stream = node.attrs->GetOr<std::string>("output_stream", "stderr");
    const bool known = std::ranges::find(kStreams, stream) != std::end(kStreams);
    if (!known && !stream.starts_with(kFilePrefix)) {
      return InvalidArgument("Unknown output stream: ", stream,
                             ", Valid streams are: ", StrJoin(kStreams, " "));
    }
    return std::unique_ptr<Kernel>(std::make_unique<PrintV2Kernel>(
        std::move(stream), node.attrs->GetOr<std::string>("end", "\n")));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& input = c.input(0);
    if (input.rank() != 0) {
      return InvalidArgument("Input is expected to be scalar, but got ", input.shape());
    }
    const std::string text = input.scalar<std::string>() + end_;
    if (stream_.starts_with(kFilePrefix)) {
      return AppendToFile(stream_.substr(kFilePrefix.size()), text);
    }
    if (stream_ == "stdout") Write(stdout, text);
    if (stream_ == "stderr") Write(stderr, text);
    if (stream_ == "log(info)") LogInfo(text);
    if (stream_ == "log(warning)") LogWarning(text);
    if (stream_ == "log(error)") LogError(text);
    return OkStatus();
  }

 private:
  const std::string stream_, end_;
};

Status PrintV2Shape(ShapeContext& c) {
  if (c.input(0).unknown_rank() || c.input(0).rank() == 0) return OkStatus();
  return InvalidArgument("input must be a scalar, but has rank: ", c.input(0).rank());
}

}  // namespace

RAMET_OP("Print")
    .Input("input: T")
    .Input("data: U")
    .Output("output: T")
    .Attr("T: type")
    .Attr("U: list(type) >= 0")
    .Attr("message: string = ''")
    .Attr("first_n: int = -1")
    .Attr("summarize: int = 3")
    .Stateful()
    .HostMemory({"data"})
    .Doc(
        "Returns `input` and writes the message and the first `summarize` elements of each tensor "
        "in `data` to stderr, the first first_n times (-1: always).")
    .Shape(UnchangedShape)
    .Gradient(PrintGradient)
    .CpuKernelClass<PrintKernel>();

RAMET_OP("PrintV2")
    .Input("input: string")
    .Attr("output_stream: string = 'stderr'")
    .Attr("end: string = '\n'")
    .Stateful()
    .HostMemory({"input"})
    .Doc(
        "Writes a scalar string followed by `end` to stdout, stderr, log(info), log(warning), "
        "log(error), or to the end of the file PATH if output_stream is 'file://PATH'. Error: the "
        "input is not a scalar; output_stream is unknown; the file cannot be written (the error of "
        "the file system).")
    .Shape(PrintV2Shape)
    .NotDifferentiable()
    .CpuKernelClass<PrintV2Kernel>();

}  // namespace ramet
