#include "ramet/base/file.h"

#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/io/args.h"

namespace ramet {
namespace {

Status ReadWholeFile(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(std::string path, StringArg(c.input(0), "filename"));
  RAMET_ASSIGN_OR_RETURN(std::string contents, ReadFile(path));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kString, Shape()));
  *y->mutable_data<std::string>() = std::move(contents);
  return OkStatus();
}

Status WriteWholeFile(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(std::string path, StringArg(c.input(0), "filename"));
  RAMET_ASSIGN_OR_RETURN(std::string contents, StringArg(c.input(1), "contents"));
  const std::string folder(Dirname(path));
  if (!folder.empty()) RAMET_RETURN_IF_ERROR(CreateDirs(folder));
  return AtomicWriteFile(path, contents);
}

Status MatchingFiles(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto patterns, StringsArg(c.input(0), "pattern"));
  std::vector<std::string> paths;
  for (const std::string& pattern : patterns) {
    RAMET_ASSIGN_OR_RETURN(std::vector<std::string> found, Glob(pattern));
    paths.insert(paths.end(), found.begin(), found.end());
  }
  std::ranges::sort(paths);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kString, Shape{std::ssize(paths)}));
  std::ranges::move(paths, y->mutable_data<std::string>());
  return OkStatus();
}

Status FileShape(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) RAMET_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  return ScalarShape(c);
}

Status MatchingFilesShape(ShapeContext& c) {
  if (c.input(0).rank() > 1) {
    return InvalidArgument("pattern must be a scalar or a vector, but has shape ", c.input(0));
  }
  c.set_output(0, Shape::OfRank(1));
  return OkStatus();
}

}  // namespace

RAMET_OP("ReadFile")
    .Input("filename: string")
    .Output("contents: string")
    .Doc(
        "Returns the contents of a file. Both are scalars. Error: the file does not exist "
        "(kNotFound) or cannot be read (the error of the file system); it is longer than 2 GiB "
        "(kResourceExhausted).")
    .HostMemory({"filename", "contents"})
    .Shape(FileShape)
    .CpuKernel(ReadWholeFile);

RAMET_OP("WriteFile")
    .Input("filename: string")
    .Input("contents: string")
    .Doc(
        "Replaces a file by one with the given contents, in one atomic step, and creates missing "
        "directories. Both inputs are scalars. Error: the file cannot be written (the error of the "
        "file system).")
    .Stateful()
    .HostMemory({"filename", "contents"})
    .Shape(FileShape)
    .CpuKernel(WriteWholeFile);

RAMET_OP("MatchingFiles")
    .Input("pattern: string")
    .Output("filenames: string")
    .Doc(
        "Returns the sorted paths that match any of the shell patterns, a scalar or a vector. The "
        "result is a vector. Error: a pattern is malformed.")
    .HostMemory({"pattern", "filenames"})
    .Shape(MatchingFilesShape)
    .CpuKernel(MatchingFiles);

}  // namespace ramet
