// .npy and .npz files: zip archives whose CRC-32s are right.
#include <zlib.h>

#include <algorithm>

#include "formats.h"
#include "npy.h"
#include "ramet/base/strings.h"
#include "spoil.h"
#include "values.h"
#include "zip.h"

namespace ramet::fuzz {
namespace {

namespace zip = cli::zip;

std::string Deflated(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

uint32_t Crc32(const std::string& bytes) {
  return static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

std::string DrawDescr(Random& random) {
  return random.Pick({"'<f4'", "'<f8'", "'|b1'", "'<i8'", "'>f4'", "'|S5'", "'<U3'", "'|O'",
                      "'<f2'", "'|V8'", "'<c16'", "[('a', '<f4')]", "''", "'<f99'", "\"<f4\"",
                      "'<i4"});
}

// Draws the header's dictionary, not always in the form that Python writes.
std::string DrawDictionary(Random& random, const Tensor& value, int lies) {
  std::string shape;
  for (const int64_t dim : value.shape().dims()) {
    const bool lie = random.Percent(lies);
    shape += std::to_string(lie ? LyingNumber(random, dim) : dim) + ", ";
  }
  if (random.Percent(lies / 2)) {
    shape = random.Pick({"(,", "1 2", "-1,", "1.0,", "2**40,", "1L,", "99999999999999999999,",
                         "(1,2),", "[1],", "None,", "0x7f,", "+3,", "1_0,"});
  }
  std::string text = value.dtype() == kFloat ? "'<f4'" : value.dtype() == kBool ? "'|b1'" : "'<i8'";
  if (random.Percent(lies)) text = DrawDescr(random);
  const char* order = random.Percent(lies / 3) ? random.Pick({"True", "1", "None"}) : "False";
  text = StrCat("{'descr': ", text, ", 'fortran_order': ", order, ", 'shape': (", shape, "), }");
  if (random.Percent(lies / 3)) SpoilBytes(random, &text);
  if (random.Percent(lies / 5)) text += std::string(static_cast<size_t>(random.Below(2000)), '(');
  return text;
}

std::string DrawArray(Random& random, int lies) {
  const DType dtype = random.Pick({kFloat, kFloat, kBool, kInt64});
  const Tensor value = DrawValue(random, dtype, DrawShape(random), Values::kMixed);
  std::string text = DrawDictionary(random, value, lies);
  const int64_t version = random.Percent(lies / 3) ? random.Below(256) : random.In(1, 3);
  std::string file = StrCat("\x93NUMPY", static_cast<char>(version), '\0');
  const size_t width = version == 1 ? 2 : 4;
  const size_t pad = 64 - (file.size() + width + text.size() + 1) % 64;
  text += std::string(pad, ' ') + "\n";
  auto length = static_cast<int64_t>(text.size());
  if (random.Percent(lies / 4)) length = LyingNumber(random, length);
  for (size_t i = 0; i < width; ++i) file += static_cast<char>(length >> (8 * i));
  file += text;
  if (value.bytes() > 0) file.append(static_cast<const char*>(value.raw_data()), value.bytes());
  if (random.Percent(lies / 4)) file.resize(file.size() - std::min<size_t>(file.size(), 3));
  if (random.Percent(lies / 4)) file += "more";
  return file;
}

// Draws megabytes that deflate to a few kilobytes.
std::string DrawBomb(Random& random) {
  const int64_t n = random.In(1, 24) << 20;
  std::string header = cli::NpyHeaderText("bomb", kUInt8, Shape{n}).value();
  return header + std::string(static_cast<size_t>(n), '\0');
}

class NpzDrafter {
 public:
  explicit NpzDrafter(Random& random) : random_(random), lies_(random.Pick({0, 10, 20, 40, 80})) {}

  std::string Take() {
    const int64_t members = random_.Percent(2) ? random_.In(100, 3000) : random_.Below(5);
    for (int64_t i = 0; i < members; ++i) AddMember(i, members > 5);
    if (random_.Percent(lies_ / 10)) directory_ += directory_;
    return Finish(members);
  }

 private:
  int64_t Maybe(int64_t right, int percent) {
    return random_.Percent(percent) ? LyingNumber(random_, right) : right;
  }

  std::string Name(int64_t i, bool many) {
    if (many) return StrCat("m", i, ".npy");
    std::string name = StrCat(DrawTensorName(random_), random_.Percent(80) ? i : 0);
    name += random_.Percent(lies_ / 6) ? random_.Pick({"", ".NPY", ".txt", "/"}) : ".npy";
    if (random_.Percent(lies_ / 10)) name.insert(0, random_.Pick({"../", "/", "a\\", "C:"}));
    name.resize(std::min<size_t>(name.size(), 65535));
    return name;
  }

  void AddMember(int64_t i, bool many) {
    const std::string bytes =
        !many && random_.Percent(2) ? DrawBomb(random_) : DrawArray(random_, many ? 0 : lies_ / 3);
    const std::string name = Name(i, many);
    const bool deflated = bytes.size() > 1'000'000 || random_.Percent(40);
    std::string packed = deflated ? Deflated(bytes) : bytes;
    if (random_.Percent(lies_ / 10)) SpoilBytes(random_, &packed);
    const int lie = many ? 0 : lies_ / 20;
    const uint16_t method =
        static_cast<uint16_t>(Maybe(deflated ? zip::kDeflated : zip::kStored, lie));
    const auto flags = static_cast<uint16_t>(Maybe(zip::kUtf8Flag, lie));
    auto offset = static_cast<int64_t>(file_.size());
    if (!first_.empty() && random_.Percent(lies_ / 10)) offset = 0;  // the first one's bytes
    if (first_.empty()) first_ = name;
    const auto size = static_cast<int64_t>(bytes.size());
    const auto packed_size = static_cast<int64_t>(packed.size());
    const Numbers local{Maybe(packed_size, lie), Maybe(size, lie), offset};
    const Numbers central{Maybe(packed_size, lie), Maybe(size, lie), Maybe(offset, lie)};
    const uint32_t crc = static_cast<uint32_t>(Maybe(Crc32(bytes), lie));
    AppendHeader(zip::kLocal, flags, method, crc, local, name, &file_);
    file_ += packed;
    AppendHeader(zip::kCentral, flags, method, crc, central, name, &directory_);
  }

  struct Numbers {
    int64_t packed, size, offset;
  };

  void AppendHeader(uint32_t magic, uint16_t flags, uint16_t method, uint32_t crc,
                    const Numbers& numbers, const std::string& name, std::string* out) {
    const bool central = magic == zip::kCentral;
    const bool in64 = random_.Percent(15) || numbers.packed > UINT32_MAX ||
                      numbers.size > UINT32_MAX || numbers.offset > UINT32_MAX;
    const std::string extra = in64 ? Extra(numbers, central) : "";
    const auto field = [&](int64_t n) { return in64 ? zip::kIn64 : static_cast<uint32_t>(n); };
    zip::Put(magic, out);
    if (central) zip::Put(zip::kVersion64, out);
    zip::Put(in64 ? zip::kVersion64 : zip::kVersion, out);
    zip::Put(flags, out);
    zip::Put(method, out);
    zip::Put(zip::kEpoch, out);
    zip::Put(crc, out);
    zip::Put(field(numbers.packed), out);
    zip::Put(field(numbers.size), out);
    const int lie = lies_ / 20;
    zip::Put(static_cast<uint16_t>(Maybe(static_cast<int64_t>(name.size()), lie)), out);
    zip::Put(static_cast<uint16_t>(Maybe(static_cast<int64_t>(extra.size()), lie)), out);
    if (central) {
      out->append(10, '\0');  // comment's length, disk, attributes
      zip::Put(field(numbers.offset), out);
    }
    *out += name + extra;
  }

  std::string Extra(const Numbers& numbers, bool central) {
    std::string values, extra;
    for (const int64_t n : {numbers.size, numbers.packed})
      zip::Put(static_cast<uint64_t>(n), &values);
    if (central) zip::Put(static_cast<uint64_t>(numbers.offset), &values);
    if (random_.Percent(lies_ / 10)) values.resize(values.size() - 8);
    zip::Put(zip::kExtra64, &extra);
    const auto size = static_cast<int64_t>(values.size());
    zip::Put(static_cast<uint16_t>(Maybe(size, lies_ / 10)), &extra);
    return extra + values;
  }

  std::string Finish(int64_t members) {
    const int lie = lies_ / 10;
    const int64_t at = Maybe(static_cast<int64_t>(file_.size()), lie);
    const int64_t size = Maybe(static_cast<int64_t>(directory_.size()), lie);
    const int64_t count = Maybe(members, lie);
    file_ += directory_;
    const bool in64 = random_.Percent(20);
    if (in64) AppendEnd64(at, size, count);
    zip::Put(zip::kEnd, &file_);
    zip::Put(uint32_t{0}, &file_);
    const auto n = in64 ? zip::kCountIn64 : static_cast<uint16_t>(count);
    zip::Put(n, &file_);
    zip::Put(n, &file_);
    zip::Put(in64 ? zip::kIn64 : static_cast<uint32_t>(size), &file_);
    zip::Put(in64 ? zip::kIn64 : static_cast<uint32_t>(at), &file_);
    const std::string comment(static_cast<size_t>(random_.Pick({0, 0, 7, 65535})), 'c');
    zip::Put(static_cast<uint16_t>(Maybe(static_cast<int64_t>(comment.size()), lie)), &file_);
    return file_ + comment;
  }

  void AppendEnd64(int64_t at, int64_t size, int64_t count) {
    const auto end64 = static_cast<int64_t>(file_.size());
    zip::Put(zip::kEnd64, &file_);
    zip::Put(uint64_t{zip::kEnd64Bytes - 12}, &file_);
    file_.append(12, '\0');  // versions and disks
    for (const int64_t n : {count, count, size, at}) zip::Put(static_cast<uint64_t>(n), &file_);
    zip::Put(zip::kLocator64, &file_);
    zip::Put(uint32_t{0}, &file_);
    zip::Put(static_cast<uint64_t>(Maybe(end64, lies_ / 10)), &file_);
    zip::Put(uint32_t{1}, &file_);
  }

  Random& random_;
  const int lies_;
  std::string file_, directory_, first_;
};

}  // namespace

FileSet DrawNpz(Random& random) {
  FileSet set{"npz", "t.npz", {}};
  set.Add("t.npz", NpzDrafter(random).Take());
  return set;
}

FileSet DrawNpy(Random& random) {
  FileSet set{"npy", "t.npy", {}};
  set.Add("t.npy", DrawArray(random, random.Pick({0, 20, 50, 100})));
  return set;
}

}  // namespace ramet::fuzz
