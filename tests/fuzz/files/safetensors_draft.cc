// Safetensors files.
#include "formats.h"
#include "ramet/base/strings.h"
#include "ramet/format/safetensors_header.h"
#include "spoil.h"
#include "text_draft.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

class SafetensorsDrafter {
 public:
  explicit SafetensorsDrafter(Random& random)
      : random_(random), lies_(random.Pick({0, 10, 20, 40, 80})) {}

  std::string Take() {
    if (random_.Percent(30)) AddItem("__metadata__", Metadata());
    const int64_t items = random_.Percent(2) ? random_.Below(5000) : random_.Below(5);
    for (int64_t i = 0; i < items; ++i) AddTensor(i, items > 5);
    if (random_.Percent(lies_ / 10)) AddItem("more", JsonValue(random_));
    std::string header = "{" + items_ + "}";
    if (random_.Percent(lies_ / 10)) header = JsonValue(random_);
    if (random_.Percent(50)) header.resize((header.size() + 7) / 8 * 8, ' ');
    if (random_.Percent(lies_ / 10)) SpoilBytes(random_, &header);
    if (random_.Percent(lies_ / 10)) data_ += 'x';
    int64_t length = static_cast<int64_t>(header.size());
    if (random_.Percent(lies_ / 10)) length = LyingNumber(random_, length);
    std::string file;
    for (int i = 0; i < 8; ++i) file += static_cast<char>(length >> (8 * i));
    return file + header + data_;
  }

 private:
  void AddItem(const std::string& name, const std::string& value) {
    items_ += StrCat(items_.empty() ? "" : ",", JsonString(random_, name), ":", value);
  }

  std::string Metadata() {
    std::string text = "\"format\":\"pt\"";
    for (int64_t n = random_.Below(4); n > 0; --n) {
      const std::string value =
          random_.Percent(lies_ / 4) ? JsonValue(random_) : JsonString(random_, "v");
      text += StrCat(",", JsonString(random_, DrawTensorName(random_)), ":", value);
    }
    return "{" + text + "}";
  }

  void AddTensor(int64_t i, bool plain) {
    const DType dtype = random_.Pick({kFloat, kDouble, kHalf, kBFloat16, kInt8, kInt16, kInt32,
                                      kInt64, kUInt8, kUInt32, kBool, kComplex64});
    Tensor value(kFloat, Shape());
    if (!plain) value = DrawValue(random_, dtype, DrawShape(random_), Values::kMixed);
    const auto begin = static_cast<int64_t>(data_.size());
    if (value.bytes() > 0) data_.append(static_cast<const char*>(value.raw_data()), value.bytes());
    const auto end = static_cast<int64_t>(data_.size());
    const std::string name =
        plain ? StrCat("t", i) : StrCat(DrawTensorName(random_), random_.Percent(80) ? i : 0);
    AddItem(name, Item(value, begin, end));
  }

  std::string Item(const Tensor& value, int64_t begin, int64_t end) {
    const int lies = lies_ / 4;
    std::string type(SafetensorsTypeName(value.dtype()));
    if (random_.Percent(lies)) type = random_.Pick({"F8_E4M3", "F64", "", "f32", "I128", "BOOL"});
    std::string shape;
    for (const int64_t dim : value.shape().dims()) {
      shape += (shape.empty() ? "" : ",") + JsonNumber(random_, dim, lies);
    }
    if (random_.Percent(lies)) shape += StrCat(shape.empty() ? "" : ",", JsonValue(random_));
    std::vector<std::string> fields = {
        StrCat("\"dtype\":", JsonString(random_, type)), StrCat("\"shape\":[", shape, "]"),
        StrCat("\"data_offsets\":[", JsonNumber(random_, begin, lies), ",",
               JsonNumber(random_, end, lies), "]")};
    if (random_.Percent(30)) std::swap(fields[0], fields[2]);
    if (random_.Percent(lies / 2)) fields.push_back("\"more\":" + JsonValue(random_));
    if (random_.Percent(lies / 2)) fields.push_back(fields[0]);
    if (random_.Percent(lies / 2)) fields.pop_back();
    return "{" + StrJoin(fields, random_.Percent(90) ? "," : " , \n") + "}";
  }

  Random& random_;
  const int lies_;
  std::string items_, data_;
};

}  // namespace

FileSet DrawSafetensors(Random& random) {
  FileSet set{"safetensors", "t.safetensors", {}};
  set.Add("t.safetensors", SafetensorsDrafter(random).Take());
  return set;
}

}  // namespace ramet::fuzz
