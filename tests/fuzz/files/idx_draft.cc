// IDX files, plain and gzipped, and the folders that MNIST comes in.
#include <zlib.h>

#include "formats.h"
#include "ramet/base/strings.h"
#include "spoil.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

std::string Gzipped(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

void AppendBigEndian(int64_t value, std::string* out) {
  for (int shift = 24; shift >= 0; shift -= 8) *out += static_cast<char>(value >> shift);
}

// Returns an IDX file. `lies` percent of the numbers in the header are wrong.
std::string Idx(Random& random, const std::vector<int64_t>& dims, const std::string& elements,
                int lies) {
  std::string file(2, '\0');
  if (random.Percent(lies / 4)) file[0] = '\1';
  file += random.Percent(lies / 3) ? static_cast<char>(random.In(7, 15)) : '\x08';
  const auto rank = static_cast<int64_t>(dims.size());
  file += static_cast<char>(random.Percent(lies / 2) ? LyingNumber(random, rank) : rank);
  for (const int64_t dim : dims) {
    AppendBigEndian(random.Percent(lies) ? LyingNumber(random, dim) : dim, &file);
  }
  file += elements;
  if (random.Percent(lies / 3)) file += 'x';
  if (random.Percent(lies / 3)) file.pop_back();
  return file;
}

// Returns the file as it is, or as one or two gzip members, possibly with wrong additions.
std::string Packed(Random& random, const std::string& file, int lies) {
  if (!random.Percent(50)) return file;
  if (random.Percent(lies / 2)) {
    const size_t half = file.size() / 2;
    std::string packed = Gzipped(file.substr(0, half)) + Gzipped(file.substr(half));
    if (random.Percent(30)) packed += Gzipped(std::string(size_t{16} << 20, '\0'));
    return packed;
  }
  std::string packed = Gzipped(file);
  if (random.Percent(lies / 4)) packed += random.Pick({"tail", "\x1f\x8b", "\x1f\x8b\x08\x04"});
  if (random.Percent(lies / 4)) SpoilBytes(random, &packed);
  return packed;
}

std::string Images(Random& random, int64_t n, int lies) {
  const int64_t rows = random.In(0, 4), cols = random.In(1, 4);
  const std::string pixels(static_cast<size_t>(n * rows * cols), '\x7f');
  return Packed(random, Idx(random, {n, rows, cols}, pixels, lies), lies);
}

std::string Labels(Random& random, int64_t n, int lies) {
  std::string labels;
  for (int64_t i = 0; i < n; ++i) {
    labels += static_cast<char>(random.Percent(lies / 8) ? random.Below(256) : random.Below(10));
  }
  return Packed(random, Idx(random, {n}, labels, lies), lies);
}

}  // namespace

FileSet DrawIdx(Random& random) {
  const int lies = random.Pick({0, 20, 50, 100});
  std::vector<int64_t> dims;
  const int64_t rank = random.Percent(5) ? random.Below(256) : random.Below(5);
  int64_t elements = 1;
  for (int64_t i = 0; i < rank; ++i) {
    dims.push_back(elements > 1000 ? 1 : random.In(0, 6));
    elements *= dims.back();
  }
  std::string bytes(static_cast<size_t>(elements), '\1');
  if (random.Percent(3)) {  // a long file of the declared size
    dims = {int64_t{1} << random.In(20, 24)};
    bytes.resize(static_cast<size_t>(dims[0]));
  }
  FileSet set{"idx", "t-idx", {}};
  set.Add("t-idx", Packed(random, Idx(random, dims, bytes, lies / 4), lies));
  return set;
}

FileSet DrawMnist(Random& random) {
  const int lies = random.Pick({0, 10, 20, 40});
  FileSet set{"mnist", ".", {}};
  for (const char* part : {"train", "t10k"}) {
    const int64_t n = random.In(0, 8);
    const int64_t labels = random.Percent(lies / 3) ? random.In(0, 9) : n;
    const std::string images_name = StrCat(part, "-images-idx3-ubyte");
    const std::string labels_name = StrCat(part, "-labels-idx1-ubyte");
    const char* ending = random.Percent(50) ? ".gz" : "";
    set.Add(images_name + ending, Images(random, n, lies / 3));
    if (!random.Percent(lies / 10)) set.Add(labels_name + ending, Labels(random, labels, lies / 3));
  }
  if (random.Percent(5)) ReplaceByOddFile(random, &set);
  return set;
}

}  // namespace ramet::fuzz
