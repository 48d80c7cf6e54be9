"""The inputs and outputs of models that estimators write as SavedModels."""
