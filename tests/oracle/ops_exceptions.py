"""What ops_test.py lets differ from TensorFlow, with the reasons."""

OWN_OPS = {}
DEFINITIONS = {}
DTYPES = {}
GRADIENTS = {}
