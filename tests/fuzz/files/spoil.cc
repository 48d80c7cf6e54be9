#include "spoil.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "ramet/base/coding.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr size_t kMaxFields = 20'000;
constexpr int64_t kManyItems = 1000;
constexpr int64_t kMaxAddedBytes = 1 << 20;

// A field of a message, whether it is set or not.
struct FieldRef {
  Message* message;
  const FieldDescriptor* field;
};

// Collects the fields and texts of a message.
class Survey {
 public:
  explicit Survey(Message* message) { Visit(message); }
  std::vector<FieldRef> fields, set_fields;
  std::vector<std::string> texts;

 private:
  void Visit(Message* message) {
    const Reflection* reflection = message->GetReflection();
    for (int i = 0; i < message->GetDescriptor()->field_count(); ++i) {
      if (fields.size() < kMaxFields)
        fields.push_back({message, message->GetDescriptor()->field(i)});
    }
    std::vector<const FieldDescriptor*> fields;
    reflection->ListFields(*message, &fields);
    for (const FieldDescriptor* field : fields) {
      if (set_fields.size() >= kMaxFields) return;
      set_fields.push_back({message, field});
      VisitValues(message, field);
    }
  }

  void VisitValues(Message* message, const FieldDescriptor* field) {
    const Reflection* reflection = message->GetReflection();
    const int size = field->is_repeated() ? reflection->FieldSize(*message, field) : 1;
    for (int i = 0; i < size && fields.size() < kMaxFields; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        Visit(field->is_repeated() ? reflection->MutableRepeatedMessage(message, field, i)
                                   : reflection->MutableMessage(message, field));
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        texts.push_back(field->is_repeated() ? reflection->GetRepeatedString(*message, field, i)
                                             : reflection->GetString(*message, field));
      }
    }
  }
};

std::string OtherText(Random& random, const Survey& survey, std::string text) {
  const int64_t way = random.Below(10);
  if (way < 5 && !survey.texts.empty()) return random.Pick(survey.texts);
  if (way < 6) return text + random.Pick({":0", ":1", ":-1", ":99999999999", "/", "^", "_1"});
  if (way < 7) return random.Pick({"^", "loc:@", "/", "../", ":0"}) + text;
  if (way < 8) {
    SpoilBytes(random, &text);
    return text;
  }
  return DrawString(random);
}

// Sets the field, or its item `at`; adds an item if `at` is -1.
void SetScalar(Random& random, const Survey& survey, const FieldRef& ref, int at) {
  const Reflection* r = ref.message->GetReflection();
  const FieldDescriptor* f = ref.field;
  Message* m = ref.message;
  const auto set = [&](auto one, auto item, auto add, auto value) {
    if (!f->is_repeated()) return (r->*one)(m, f, value);
    if (at < 0) return (r->*add)(m, f, value);
    (r->*item)(m, f, at, value);
  };
  const int64_t number = random.Percent(30) ? random.In(-2, 40) : HostileInt(random);
  using R = Reflection;
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return set(&R::SetInt32, &R::SetRepeatedInt32, &R::AddInt32, static_cast<int32_t>(number));
    case FieldDescriptor::CPPTYPE_INT64:
      return set(&R::SetInt64, &R::SetRepeatedInt64, &R::AddInt64, number);
    case FieldDescriptor::CPPTYPE_UINT32:
      return set(&R::SetUInt32, &R::SetRepeatedUInt32, &R::AddUInt32,
                 static_cast<uint32_t>(number));
    case FieldDescriptor::CPPTYPE_UINT64:
      return set(&R::SetUInt64, &R::SetRepeatedUInt64, &R::AddUInt64,
                 static_cast<uint64_t>(number));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return set(&R::SetDouble, &R::SetRepeatedDouble, &R::AddDouble, HostileNumber(random));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return set(&R::SetFloat, &R::SetRepeatedFloat, &R::AddFloat,
                 static_cast<float>(HostileNumber(random)));
    case FieldDescriptor::CPPTYPE_BOOL:
      return set(&R::SetBool, &R::SetRepeatedBool, &R::AddBool, random.Percent(50));
    case FieldDescriptor::CPPTYPE_ENUM:
      return set(&R::SetEnumValue, &R::SetRepeatedEnumValue, &R::AddEnumValue,
                 static_cast<int>(random.Percent(80) ? random.In(-1, 130) : number));
    default: break;
  }
  std::string text;
  if (!f->is_repeated()) text = r->GetString(*m, f);
  if (f->is_repeated() && at >= 0) text = r->GetRepeatedString(*m, f, at);
  set(&R::SetString, &R::SetRepeatedString, &R::AddString, OtherText(random, survey, text));
}

void AddItem(Random& random, const Survey& survey, const FieldRef& ref) {
  const Reflection* reflection = ref.message->GetReflection();
  const int size = reflection->FieldSize(*ref.message, ref.field);
  if (ref.field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
    return SetScalar(random, survey, ref, -1);
  }
  // A copy, because adding an item may move the existing ones.
  std::unique_ptr<Message> copy;
  if (size > 0) {
    const auto at = static_cast<int>(random.Below(size));
    const Message& item = reflection->GetRepeatedMessage(*ref.message, ref.field, at);
    copy.reset(item.New());
    copy->CopyFrom(item);
  }
  Message* added = reflection->AddMessage(ref.message, ref.field);
  if (copy) added->CopyFrom(*copy);
}

void SpoilRepeated(Random& random, const Survey& survey, const FieldRef& ref) {
  const Reflection* reflection = ref.message->GetReflection();
  const int size = reflection->FieldSize(*ref.message, ref.field);
  const int64_t way = random.Below(20);
  if (size == 0 || way < 5) return AddItem(random, survey, ref);
  if (way < 9) return reflection->RemoveLast(ref.message, ref.field);
  const auto at = static_cast<int>(random.Below(size));
  if (way < 13) {
    return reflection->SwapElements(ref.message, ref.field, at,
                                    static_cast<int>(random.Below(size)));
  }
  if (way == 13) {
    const auto bytes = static_cast<int64_t>(ref.message->ByteSizeLong()) + 1;
    const int64_t most = std::min(kManyItems, kMaxAddedBytes / bytes);
    for (int64_t n = random.Below(most); n > 0; --n) AddItem(random, survey, ref);
    return;
  }
  if (ref.field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
    return SetScalar(random, survey, ref, at);
  }
  reflection->MutableRepeatedMessage(ref.message, ref.field, at)->Clear();
}

}  // namespace

void SpoilMessage(Random& random, Message* message) {
  const Survey survey(message);
  const bool any = survey.set_fields.empty() || random.Percent(30);
  const std::vector<FieldRef>& fields = any ? survey.fields : survey.set_fields;
  if (fields.empty()) return;
  const FieldRef ref = random.Pick(fields);
  const Reflection* reflection = ref.message->GetReflection();
  if (ref.field->is_repeated()) return SpoilRepeated(random, survey, ref);
  if (random.Percent(10)) return reflection->ClearField(ref.message, ref.field);
  if (ref.field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
    return SetScalar(random, survey, ref, 0);
  }
  if (random.Percent(30)) return reflection->MutableMessage(ref.message, ref.field)->Clear();
  SpoilMessage(random, reflection->MutableMessage(ref.message, ref.field));
}

std::string WireOf(Random& random, const Message& message) {
  std::string bytes = message.SerializeAsString();
  if (!random.Percent(8)) return bytes;
  switch (random.Below(5)) {
    case 0: return bytes + bytes;  // scalars are merged, lists are joined
    case 1:                        // an unknown field of bytes
      bytes += "\xFA\x7F";
      AppendVarint64(&bytes, 5);
      return bytes + "12345";
    case 2:  // nested groups
      for (int i = 0; i < 150; ++i) bytes += "\xFB\x7F";
      return bytes;
    case 3:  // a known field number with a different wire type
      bytes += static_cast<char>(random.In(1, 9) << 3 | random.Pick({0, 1, 5}));
      return bytes + std::string(8, '\x01');
    default: SpoilBytes(random, &bytes); return bytes;
  }
}

std::string BytesOf(Random& random, const Message& message, int text_percent) {
  if (!random.Percent(text_percent)) return WireOf(random, message);
  std::string text;
  google::protobuf::TextFormat::PrintToString(message, &text);
  if (random.Percent(5)) SpoilBytes(random, &text);
  return text;
}

int64_t LyingNumber(Random& random, int64_t right) {
  switch (random.Below(6)) {
    case 0: return right + 1;
    case 1: return right - 1;
    case 2: return 0;
    case 3: return static_cast<int64_t>(static_cast<uint64_t>(right) * 2);
    case 4: return random.In(0, 300);
    default: return HostileInt(random);
  }
}

void SpoilBytes(Random& random, std::string* bytes) {
  if (bytes->empty()) return bytes->push_back(static_cast<char>(random.Below(256)));
  const auto at = static_cast<size_t>(random.Below(static_cast<int64_t>(bytes->size())));
  switch (random.Below(4)) {
    case 0: (*bytes)[at] = static_cast<char>((*bytes)[at] ^ 1 << random.Below(8)); break;
    case 1: bytes->erase(at, 1); break;
    case 2: bytes->insert(at, 1, static_cast<char>(random.Below(256))); break;
    default: bytes->resize(at); break;
  }
}

}  // namespace ramet::fuzz
