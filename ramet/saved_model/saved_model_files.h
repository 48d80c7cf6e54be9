#pragma once

// Names within a SavedModel that TensorFlow defines (tensorflow/python/saved_model/constants.py).
namespace ramet::saved_model_files {

inline constexpr char kBinary[] = "saved_model.pb";
inline constexpr char kText[] = "saved_model.pbtxt";
inline constexpr char kVariablesFolder[] = "variables";
inline constexpr char kVariablesFile[] = "variables";
inline constexpr char kAssetsFolder[] = "assets";
inline constexpr char kAssetsCollection[] = "saved_model_assets";
inline constexpr char kMainOpCollection[] = "saved_model_main_op";
inline constexpr char kLegacyInitOpCollection[] = "legacy_init_op";
inline constexpr char kInitOpSignature[] = "__saved_model_init_op";
inline constexpr char kTrainOpSignature[] = "__saved_model_train_op";
inline constexpr char kAssetTypeUrl[] = "type.googleapis.com/tensorflow.AssetFileDef";
inline constexpr int kSchemaVersion = 1;

}  // namespace ramet::saved_model_files
