#include <algorithm>
#include <filesystem>
#include <iostream>
#include <regex>
#include <set>

#include "command.h"
#include "feed_value.h"
#include "model_file.h"
#include "output_file.h"
#include "tensors.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

// The longest name that is matched against a pattern: std::regex recurses over the text.
constexpr size_t kMaxMatchedBytes = 4096;

struct ConvertOptions {
  std::string input, output, format, dtype, message;
  std::vector<std::string> rename, select;
  int shards = 1;
  bool compress = false;
};

// A tensor to convert: its name in the input, and its description in the output.
struct Item {
  std::string from;
  TensorInfo to;
};

rm::StatusOr<std::regex> Pattern(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error& e) {
    return rm::InvalidArgument("'", text, "' is not a valid regular expression: ", e.what());
  }
}

// The rules of --select and --rename: which tensors to convert and what to name them.
class NameRules {
 public:
  static rm::StatusOr<NameRules> Make(const ConvertOptions& options) {
    NameRules rules;
    for (const std::string& text : options.select) {
      RAMET_ASSIGN_OR_RETURN(rules.select_.emplace_back(), Pattern(text));
    }
    for (const std::string& text : options.rename) {
      const size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0) {
        return rm::InvalidArgument("--rename ", text, ": expected PATTERN=REPLACEMENT");
      }
      auto& [pattern, replacement] = rules.rename_.emplace_back();
      RAMET_ASSIGN_OR_RETURN(pattern, Pattern(text.substr(0, equals)));
      replacement = text.substr(equals + 1);
    }
    return rules;
  }

  rm::Status Check(const std::string& name) const {
    if (name.size() <= kMaxMatchedBytes || (select_.empty() && rename_.empty())) {
      return rm::OkStatus();
    }
    return rm::InvalidArgument("cannot match a name of ", name.size(), " characters; the limit is ",
                               kMaxMatchedBytes);
  }
  bool Wants(const std::string& name) const {
    return select_.empty() || std::ranges::any_of(select_, [&](const std::regex& r) {
             return std::regex_search(name, r);
           });
  }
  std::string Rename(std::string name) const {
    for (const auto& [pattern, replacement] : rename_) {
      name = std::regex_replace(name, pattern, replacement);
    }
    return name;
  }

 private:
  std::vector<std::regex> select_;
  std::vector<std::pair<std::regex, std::string>> rename_;
};

rm::StatusOr<std::vector<Item>> Plan(const ConvertOptions& options,
                                     const std::vector<TensorInfo>& tensors) {
  RAMET_ASSIGN_OR_RETURN(const NameRules rules, NameRules::Make(options));
  rm::DType dtype = rm::DType::kInvalid;
  if (!options.dtype.empty()) {
    RAMET_ASSIGN_OR_RETURN(dtype, rm::ParseDType(options.dtype));
    if (!rm::IsFloating(dtype)) {
      return rm::InvalidArgument("--dtype ", options.dtype,
                                 ": expected half, bfloat16, float or double");
    }
  }
  std::vector<Item> items;
  for (const TensorInfo& tensor : tensors) {
    RAMET_RETURN_IF_ERROR(rules.Check(tensor.name));
    if (!rules.Wants(tensor.name)) continue;
    Item item{tensor.name, tensor};
    item.to.name = rules.Rename(tensor.name);
    const bool cast = dtype != rm::DType::kInvalid && rm::IsFloating(tensor.dtype);
    if (cast) item.to.dtype = dtype;
    items.push_back(std::move(item));
  }
  std::ranges::sort(items, {}, [](const Item& item) { return item.to.name; });
  for (size_t i = 1; i < items.size(); ++i) {
    if (items[i].to.name != items[i - 1].to.name) continue;
    return rm::InvalidArgument("--rename maps both '", items[i - 1].from, "' and '", items[i].from,
                               "' to '", items[i].to.name, "'");
  }
  if (items.empty()) return rm::InvalidArgument("no tensor of '", options.input, "' is selected");
  return items;
}

rm::Status WithHint(const rm::Status& status) {
  if (!rm::IsUnimplemented(status)) return status;
  return status.WithSuffix(
      "; use --select PATTERN to choose tensors, --dtype to convert floating-point ones");
}

rm::Status ConvertTensors(const ConvertOptions& options) {
  RAMET_ASSIGN_OR_RETURN(auto source, OpenTensors(options.input));
  RAMET_ASSIGN_OR_RETURN(const auto listed, source->List());
  RAMET_ASSIGN_OR_RETURN(const std::vector<Item> items, Plan(options, listed));
  std::vector<TensorInfo> tensors;
  for (const Item& item : items) tensors.push_back(item.to);
  SinkOptions how{options.format, options.shards, options.compress};
  if (how.format.empty()) how.format = FormatOf(options.output);
  if (how.format == "v1" && rm::BundleExists(options.output)) {
    return rm::InvalidArgument("the V2 checkpoint '", options.output,
                               "' already exists, and readers prefer it to a V1 file of that name; "
                               "choose another name or remove it");
  }
  auto made = MakeSink(options.output, tensors, how);
  if (!made.ok()) return WithHint(made.status());
  const std::unique_ptr<TensorSink> sink = *std::move(made);
  LongWork work("converting", static_cast<int64_t>(items.size()));
  int64_t done = 0;
  for (const size_t i : sink->Order()) {
    work.Update(done++, items[i].from);
    RAMET_ASSIGN_OR_RETURN(const rm::Tensor value, source->Read(items[i].from));
    RAMET_ASSIGN_OR_RETURN(const rm::Tensor cast, CastTensor(value, items[i].to.dtype));
    RAMET_RETURN_IF_ERROR(WithHint(sink->Add(items[i].to, cast)));
  }
  RAMET_RETURN_IF_ERROR(sink->Finish());
  std::cout << options.output << ": " << Count(static_cast<int64_t>(items.size()), "tensor")
            << " as " << how.format << "\n";
  return rm::OkStatus();
}

// Returns the file with the message: the .meta file of a checkpoint prefix, the saved_model.pb in a
// SavedModel folder, or `path` itself. Sets `checkpoint` if `path` also has values, which are not
// in that file.
rm::StatusOr<std::string> MessageFile(const std::string& path, std::string* checkpoint) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) return path;
  RAMET_ASSIGN_OR_RETURN(const ModelFile file, FindModelFile(path));
  if (file.graph.empty()) {
    return rm::InvalidArgument("'", path, "' is ", KindName(file.kind),
                               " without a graph; only graphs and other protocol buffers have a "
                               "binary and a text form (to write tensors, use *.safetensors or "
                               "*.npz)");
  }
  *checkpoint = file.checkpoint;
  if (file.kind != ModelFile::Kind::kSavedModel) return file.graph;
  const std::string binary = file.graph + "/saved_model.pb";
  return std::filesystem::exists(binary, ignored) ? binary : binary + "txt";
}

rm::Status ConvertMessage(const ConvertOptions& options) {
  const bool tensors = !options.rename.empty() || !options.select.empty() ||
                       !options.dtype.empty() || options.shards > 1 || options.compress;
  if (tensors) {
    return rm::InvalidArgument(
        "--rename, --select, --dtype, --shards and --compress apply to tensors, but '",
        options.output, "' is a protocol buffer in ", options.format, " form");
  }
  std::string checkpoint;
  RAMET_ASSIGN_OR_RETURN(const std::string input, MessageFile(options.input, &checkpoint));
  RAMET_ASSIGN_OR_RETURN(
      const std::string kind,
      rm::ConvertMessageFile(input, options.output, options.format == "text", options.message));
  std::cout << options.output << ": " << kind << " in " << options.format << " form";
  if (!checkpoint.empty()) {
    std::cout << ", without the values of " << Clean(checkpoint)
              << " ('ramet freeze' writes them too)";
  }
  std::cout << "\n";
  return rm::OkStatus();
}

rm::Status Convert(ConvertOptions options) {
  const bool text = options.output.ends_with(".pbtxt") || options.output.ends_with(".prototxt");
  const bool binary = options.output.ends_with(".pb") || options.output.ends_with(".meta");
  if (options.format.empty() && text) options.format = "text";
  if (options.format.empty() && binary) options.format = "binary";
  std::error_code ignored;
  if (std::filesystem::is_directory(options.output, ignored)) {
    return rm::InvalidArgument("'", options.output,
                               "' is a folder; name a file or checkpoint PREFIX in it");
  }
  RAMET_RETURN_IF_ERROR(CheckFolderOf("'" + options.output + "'", options.output));
  if (options.format == "text" || options.format == "binary") return ConvertMessage(options);
  return ConvertTensors(options);
}

}  // namespace

void AddConvert(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand("convert",
                                     "Convert between checkpoints, .safetensors and .npz, and "
                                     "graphs between binary and text form");
  auto o = std::make_shared<ConvertOptions>();
  std::vector<std::string> formats = SinkFormats();
  formats.insert(formats.end(), {"text", "binary"});
  command
      ->add_option(
          "IN", o->input,
          "A checkpoint PREFIX, a SavedModel folder, a .safetensors or .npz file, or a graph file")
      ->required();
  command->add_option("OUT", o->output, "The file or checkpoint PREFIX to write")->required();
  command
      ->add_option(
          "--format", o->format,
          "Write this format (default: by the extension of OUT, which may be .safetensors, "
          ".npz, .pb, .meta or .pbtxt; else v2)")
      ->check(CLI::IsMember(formats))
      ->type_name("FORMAT");
  command
      ->add_option("--rename", o->rename,
                   "Replace matches of the regular expression PATTERN in names by REPLACEMENT ($1: "
                   "the first group); can be repeated")
      ->type_name("PATTERN=REPLACEMENT");
  command
      ->add_option(
          "--select", o->select,
          "Convert only tensors whose names contain a match of this regular expression; can "
          "be repeated")
      ->type_name("PATTERN");
  command
      ->add_option("--dtype", o->dtype,
                   "Convert floating-point tensors to half, bfloat16, float or double; keep all "
                   "others as they are")
      ->type_name("DTYPE");
  command->add_option("--shards", o->shards, "Write a v2 checkpoint with this many data files")
      ->check(CLI::Range(1, 99999))
      ->type_name("COUNT");
  command->add_flag("--compress", o->compress, "Deflate the arrays of a .npz file");
  command
      ->add_option("--message", o->message,
                   "Read IN as this type of protocol buffer if its content does not identify it: "
                   "GraphDef, MetaGraphDef, SavedModel, CheckpointState, SaverDef, ...")
      ->type_name("TYPE");
  command->footer(
      "A partitioned variable becomes one tensor. Binary form keeps the unknown fields of a "
      "protocol\n"
      "buffer. Text form would lose them, so the conversion fails and names them.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error.\n"
      "Examples:\n  ramet convert model-1000 model.safetensors --dtype half\n"
      "  ramet convert weights.npz model-0 --rename '^layer(\\d+)/W$=dense_$1/kernel'\n"
      "  ramet convert model-1000 model-1000-sharded --shards 4\n"
      "  ramet convert model-2016.ckpt model-2016-v2\n"
      "  ramet convert model-1000 model-1000.ckpt --format v1\n"
      "  ramet convert model-1000.meta model.pbtxt\n"
      "  ramet convert saver.pbtxt saver.pb --message SaverDef");
  command->callback([=] { *status = Convert(*o); });
}

}  // namespace cli
