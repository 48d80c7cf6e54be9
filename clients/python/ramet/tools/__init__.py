"""The functions of TensorFlow's command-line tools, for scripts that import them."""
