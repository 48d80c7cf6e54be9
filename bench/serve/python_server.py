"""The usual way to serve without TensorFlow Serving: a gRPC server in Python around TensorFlow or onnxruntime.

usage: python_server.py tensorflow|onnxruntime PATH PORT

PATH is a base path of SavedModels, which are loaded again when a newer one appears, or an ONNX file.
"""

import concurrent.futures
import os
import pathlib
import sys
import threading
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import grpc
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc

tf.get_logger().setLevel("ERROR")  # it warns of each variable of a model of TensorFlow 1


class TensorFlowModel:
    """The newest SavedModel of a base path. A thread looks for newer ones."""

    def __init__(self, base):
        self.base = pathlib.Path(base)
        self.version = 0
        self.load()
        threading.Thread(target=self.poll, daemon=True).start()

    def load(self):
        newest = max(int(path.name) for path in self.base.iterdir() if path.name.isdigit())
        if newest > self.version:
            self.model = tf.saved_model.load(str(self.base / str(newest)))
            self.run = self.model.signatures["serving_default"]
            self.version = newest

    def poll(self):
        while True:
            time.sleep(0.2)
            self.load()

    def __call__(self, x):
        return self.run(x=tf.constant(x))["y"].numpy()


class OnnxModel:
    def __init__(self, path):
        import onnxruntime

        self.session = onnxruntime.InferenceSession(path)

    def __call__(self, x):
        return self.session.run(["y"], {"x": x})[0]


class Service(prediction_service_pb2_grpc.PredictionServiceServicer):
    def __init__(self, model):
        self.model = model

    def Predict(self, request, context):
        response = predict_pb2.PredictResponse()
        y = self.model(tf.make_ndarray(request.inputs["x"]))
        response.outputs["y"].CopyFrom(tf.make_tensor_proto(y))
        return response


def main():
    kind, path, port = sys.argv[1:]
    model = TensorFlowModel(path) if kind == "tensorflow" else OnnxModel(path)
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=8))
    prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(Service(model), server)
    server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    print("ready", flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    main()
