"""Compares each option of the Saver, and checkpoint_management, with TensorFlow.

A case is a script. saver_driver runs it with Ramet, and Oracle below with TensorFlow, each in a separate folder. The
results and errors of every line, the files at the end, the state files, the checkpoints' contents and the nodes
of the savers in the .meta files must agree.
"""

import os
import shutil
import subprocess
import tempfile
import time
import unittest
import warnings
from unittest import mock

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow.python.framework import meta_graph as tf_meta_graph
from tensorflow.python.training.saving import saveable_object

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.FATAL)
warnings.filterwarnings("ignore")
DRIVER = os.path.join(os.environ.get("RAMET_BUILD", "build"), "bin", "saver_driver")
DRIVER = os.path.abspath(DRIVER)
FLAGS = {"reshape", "sharded", "restore_sequentially", "defer_build", "allow_empty", "pad_step_number",
         "save_relative_paths", "write_meta_graph", "write_state", "strip_default_attrs", "save_debug_info",
         "clear_devices", "as_text", "clear_extraneous_savers"}
CODES = {"ValueError": "INVALID_ARGUMENT", "RuntimeError": "FAILED_PRECONDITION", "TypeError": "INVALID_ARGUMENT",
         "NotFoundError": "NOT_FOUND", "InvalidArgumentError": "INVALID_ARGUMENT", "DataLossError": "DATA_LOSS",
         "FailedPreconditionError": "FAILED_PRECONDITION", "OutOfRangeError": "OUT_OF_RANGE"}


# The graphs, created by TensorFlow. The names describe their contents.

def plain():
    tf.get_variable("b", [2])
    tf.get_variable("a", [3])
    tf.get_variable("c/d", [2, 2])


def two_devices():
    with tf.device("/cpu:1"):
        tf.get_variable("b", [2])
    with tf.device("/job:localhost/replica:0/task:0/cpu:0"):
        tf.get_variable("d", [2])
    tf.get_variable("a", [3])


def parts():
    tf.get_variable("a", [3])
    tf.get_variable("p", [12, 2], partitioner=tf.fixed_size_partitioner(12))
    tf.get_variable("q", [4, 2], partitioner=tf.fixed_size_partitioner(2))


def two_parts():
    tf.get_variable("p", [12, 2], partitioner=tf.fixed_size_partitioner(2))


def whole():
    tf.get_variable("p", [12, 2])


def step():
    tf.train.get_or_create_global_step()
    tf.get_variable("a", [3])
    tf.constant([1, 2], name="vector")
    tf.constant(1.75, name="fraction")


def nothing():
    tf.constant(1.0)


def other_shape():
    tf.get_variable("a", [1, 3])
    tf.get_variable("b", [2, 1])
    tf.get_variable("c/d", [4])


def wrong_shape():
    tf.get_variable("a", [4])


def wrong_type():
    tf.get_variable("a", [3], dtype=tf.float64)


def missing():
    tf.get_variable("a", [3])
    tf.get_variable("zz", [3])


def twice():
    tf.Variable(np.zeros([2], "f"), name="v")
    tf.get_variable("v_part", [4], partitioner=tf.fixed_size_partitioner(2))


def objects():
    tf.get_variable("a", [3])
    tf.get_variable("c/d", [2, 2])


def objects_in_parts():
    tf.get_variable("a", [3], partitioner=tf.fixed_size_partitioner(3))


def resources():
    with tf.variable_scope("", use_resource=True):
        tf.get_variable("b", [2])
        with tf.device("/cpu:1"):
            tf.get_variable("a", [3])
        tf.get_variable("p", [4, 2], partitioner=tf.fixed_size_partitioner(2))
    tf.get_variable("r", [2])


def references():
    tf.get_variable("b", [2])
    tf.get_variable("a", [3])
    tf.get_variable("p", [4, 2])
    with tf.variable_scope("", use_resource=True):
        tf.get_variable("r", [2])


def resource_of_doubles():
    tf.get_variable("a", [3], dtype=tf.float64, use_resource=True)


def unknown_shape():
    tf.get_variable("r", [2])
    initial = tf.placeholder_with_default(np.zeros([2, 3], "f"), None)
    tf.Variable(initial, name="u", use_resource=True, validate_shape=False)


def write_objects(prefix):
    """Writes a checkpoint of tf.train.Checkpoint, whose keys are not the variables' names."""
    with tf.Graph().as_default(), tf.variable_scope("", use_resource=True), tf.Session() as session:
        a, d = tf.get_variable("a", [3]), tf.get_variable("c/d", [2, 2])
        session.run([a.assign([1, 2, 3]), d.assign(np.full([2, 2], 4))])
        tf.train.Checkpoint(net=tf.train.Checkpoint(weight=a), others=[d]).write(prefix, session=session)


GRAPHS = (resources, resource_of_doubles, references, unknown_shape, objects, objects_in_parts, plain, two_devices, parts, two_parts, whole, step, nothing, other_shape, wrong_shape, wrong_type, missing, twice)


class Pair(saveable_object.SaveableObject):
    """Saves a variable, and twice the value of another."""

    def __init__(self, name, a, b):
        self.variables = a, b
        specs = [saveable_object.SaveSpec(a.value(), "", name + "/x"), saveable_object.SaveSpec(b * 2.0, "", name + "/y")]
        super().__init__(a, specs, name)

    def restore(self, restored_tensors, restored_shapes):
        x, y = restored_tensors
        if restored_shapes:
            x = tf.reshape(x, restored_shapes[0])
        return tf.group(tf.assign(self.variables[0], x), tf.assign(self.variables[1], y / 2.0))


class Oracle:
    """Runs a script with TensorFlow."""

    def __init__(self):
        self.savers = {}
        self.ahead = 0

    def run(self, words):
        try:
            with self.graph.as_default() if hasattr(self, "graph") else tf.Graph().as_default():
                return "ok %s" % (getattr(self, "do_" + words[0])(*words[1:]) or "")
        except Exception as e:  # pylint: disable=broad-except
            message = e.message if isinstance(e, tf.errors.OpError) else str(e)
            return "error %s %s" % (CODES[type(e).__name__], message)

    def new_graph(self):
        self.graph, self.savers, self.objects = tf.Graph(), {}, {}

    def do_graph(self, meta):
        self.new_graph()
        with self.graph.as_default():
            tf_meta_graph.import_scoped_meta_graph(meta)

    def do_load(self, name, meta):
        self.new_graph()
        with self.graph.as_default():
            self.savers[name] = tf.train.import_meta_graph(meta)

    def do_session(self, cpus):
        config = tf.ConfigProto(device_count={"CPU": int(cpus)}, allow_soft_placement=True)
        self.session = tf.Session(graph=self.graph, config=config)

    def find(self, name):
        return next(v for v in tf.global_variables() if v.op.name == name)

    def do_init(self):
        names = self.session.run(tf.report_uninitialized_variables())
        self.session.run([self.find(n.decode()).initializer for n in names])

    def do_assign(self, name, value):
        v = self.find(name)
        v.load(np.full(v.shape.as_list(), float(value), v.dtype.base_dtype.as_numpy_dtype), self.session)

    def do_value(self, name):
        return " ".join("%f" % x for x in self.session.run(self.find(name)).ravel())

    def do_object(self, name, a, b):
        self.objects[name] = Pair(name, self.find(a), self.find(b))

    def do_saver(self, name, *options):
        given, objects = {}, []
        for option in options:
            key, value = option.split("=", 1)
            if key == "objects":
                objects = [self.objects[n] for n in value.split(",")]
                continue
            if key == "var_list":
                value = [self.find(n) for n in value.split(",")]
            elif key == "var_map":
                pairs = [entry.split(":") for entry in value.split(",")]
                value = {n: [self.find(p) for p in vs.split("+")] if "+" in vs else self.find(vs) for n, vs in pairs}
                key = "var_list"
            elif key in FLAGS:
                value = value == "1"
            elif key in ("max_to_keep", "write_version"):
                value = int(value)
            elif key == "keep_checkpoint_every_n_hours":
                value = float(value)
            given[key] = value
        if objects and isinstance(given.get("var_list"), dict):
            given["var_list"].update({o.name: o for o in objects})
        elif objects:
            given["var_list"] = given.get("var_list", []) + objects
        self.savers[name] = tf.train.Saver(**given)

    def do_build(self, name):
        self.savers[name].build()

    def do_save(self, name, path, *options):
        given = {}
        for option in options:
            key, value = option.split("=", 1)
            if key == "global_step" and value.strip("-0123456789") == "":
                value = int(value)
            given[key] = value == "1" if key in FLAGS else value
        return self.savers[name].save(self.session, path, **given)

    def do_restore(self, name, path=None):
        self.savers[name].restore(self.session, path)

    def do_meta(self, name, path, *options):
        given = {k: v == "1" for k, v in (o.split("=") for o in options)}
        self.savers[name].export_meta_graph(path, **given)

    def do_last(self, name):
        return ",".join(self.savers[name].last_checkpoints)

    def do_set_last(self, name, paths):
        self.savers[name].set_last_checkpoints(paths.split(","))

    def do_recover(self, name, paths):
        self.savers[name].recover_last_checkpoints(paths.split(","))

    def do_proto(self, name, scope=None):
        return self.savers[name].to_proto(scope).SerializeToString(deterministic=True).hex()

    def do_from_proto(self, name, other, scope=None):
        proto = tf.train.SaverDef()
        proto.CopyFrom(self.savers[name].to_proto(scope))
        self.savers[other] = tf.train.Saver.from_proto(proto, scope)

    def do_run(self, fetch, feed, value):
        got = self.session.run(fetch, {feed: value})
        return got.decode() if isinstance(got, bytes) else ""

    def do_latest(self, folder, filename=None):
        return tf.train.latest_checkpoint(folder, filename) or "none"

    def do_exists(self, prefix):
        return "yes" if tf.train.checkpoint_exists(prefix) else "no"

    def do_remove(self, prefix):
        tf.train.remove_checkpoint(prefix)

    def do_mtimes(self, prefixes):
        return str(len(tf.train.get_checkpoint_mtimes(prefixes.split(","))))

    def do_state(self, folder):
        state = tf.train.get_checkpoint_state(folder)
        if state is None:
            return "none"
        text = state.model_checkpoint_path + ";" + ",".join(state.all_model_checkpoint_paths)
        return text + "".join(";%f" % t for t in state.all_model_checkpoint_timestamps)

    def do_update(self, folder, path, every="", times=""):
        tf.train.update_checkpoint_state(folder, path, every.split(",") if every else None,
                                         all_model_checkpoint_timestamps=[float(t) for t in times.split(",")] if times else None)

    def do_iterate(self, folder, count, timeout):
        found = tf.train.checkpoints_iterator(folder, timeout=float(timeout) / 1000)
        return ",".join(next(found, "end") for _ in range(int(count)))

    def do_forward(self, seconds):
        self.ahead += int(seconds)

    def do_touch(self, path, text=""):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def begin(graph, cpus=1, **values):
    """Returns a session of `graph` whose variables have the given values, and all others 7."""
    lines = ["graph %s.meta" % graph.__name__, "session %d" % cpus]
    return lines + ["assign %s %s" % item for item in values.items()]


PLAIN = begin(plain) + ["assign a 1", "assign b 2", "assign c/d 3"]
STEP = begin(step) + ["assign a 1", "assign global_step 42"]
PARTS = begin(parts) + ["assign a 1"] + ["assign p/part_%d %d" % (i, i) for i in range(12)] + [
    "assign q/part_0 20", "assign q/part_1 21"]
DEVICES = begin(two_devices, 2) + ["assign a 1", "assign b 2", "assign d 3"]


RESOURCES = begin(resources, 2) + ["assign a 1", "assign b 2", "assign p/part_0 3", "assign p/part_1 4", "assign r 5"]


def saves(count, *options, **between):
    lines = []
    for i in range(1, count + 1):
        lines += ["save s $D/m global_step=%d %s" % (i, " ".join(options)), "last s"] + between.get("then", [])
    return lines


# name: script. Fields of a line are separated by blanks. "!text" after a line: both sides fail with this text.
CASES = {
    "defaults": PLAIN + ["saver s", "save s $D/m", "assign a 9", "restore s $D/m", "value a", "value c/d", "last s"],
    "var_list": PLAIN + ["saver s var_list=c/d,a", "save s $D/m", "saver t var_list=a,c/d", "save t $D/n"],
    "var_map": PLAIN + ["saver s var_map=x:a,w/y:b", "save s $D/m", "assign b 9", "restore s $D/m", "value b"],
    "var_map_swaps": PLAIN + ["saver s", "save s $D/m", "saver t var_map=b:c/d", "saver u var_map=a:a",
                              "restore t $D/m !Assign requires shapes of both tensors to match. lhs shape= [2,2] rhs shape= [2]",
                              "restore u $D/m", "value a"],
    "the_same_twice": PLAIN + ["saver s var_map=x:a,y:a !The same saveable will be restored with two names: y"],
    "one_name_twice": PLAIN + ["saver s var_list=a,a !At least two variables have the same name: a"],
    "no_variables": ["graph nothing.meta", "session 1", "saver s !No variables to save"],
    "allow_empty": ["graph nothing.meta", "session 1", "saver s allow_empty=1", "save s $D/m global_step=3", "last s",
                    "restore s $D/nowhere"],
    "sharded": DEVICES + ["saver s sharded=1", "save s $D/m global_step=1", "assign a 9", "assign b 9", "assign d 9",
                          "restore s $D/m-1", "value a", "value b", "value d", "proto s"],
    "sharded_on_one_device": PLAIN + ["saver s sharded=1", "save s $D/m", "assign a 9", "restore s $D/m", "value a"],
    "sharded_parts": PARTS + ["saver s sharded=1", "save s $D/m", "assign p/part_3 9", "restore s $D/m", "value p/part_3"],
    "parts": PARTS + ["saver s", "save s $D/m", "assign p/part_11 9", "restore s $D/m", "value p/part_11", "value p/part_2"],
    "parts_in_a_map": PARTS + ["saver s var_map=x:q/part_1+q/part_0,y:p/part_10+p/part_9", "save s $D/m"],
    "parts_of_others": PARTS + ["saver s var_map=x:q/part_1+p/part_0 !Slices must all be from the same tensor: q != p"],
    "parts_that_are_none": begin(plain) + ["saver s var_map=x:a+b !Slices must all be slices"],
    "parts_to_others": PARTS + ["saver s", "save s $D/m"] + begin(two_parts) + [
        "saver s", "restore s $D/m", "value p/part_0", "value p/part_1"] + begin(whole) + [
            "saver s", "restore s $D/m", "value p"],
    "whole_to_parts": begin(whole) + ["assign p 5", "saver s", "save s $D/m"] + begin(two_parts) + [
        "saver s", "restore s $D/m", "value p/part_0", "value p/part_1"],
    "reshape": PLAIN + ["saver s", "save s $D/m"] + begin(other_shape) + [
        "saver s reshape=1", "restore s $D/m", "value a", "value c/d", "save s $D/n"],
    "saveable_objects": PLAIN + ["object bb a b", "saver s var_list=c/d,a objects=bb", "save s $D/m", "assign a 9", "assign b 9", "restore s $D/m",
                                 "value a", "value b", "saver t objects=bb", "save t $D/n", "saver u var_map=x:c/d objects=bb reshape=1",
                                 "save u $D/o", "assign b 9", "restore u $D/o", "value b", "saver v defer_build=1 objects=bb !If `var_list`"],
    "saveable_objects_sharded": DEVICES + ["object o a d", "saver s sharded=1 var_list=b objects=o", "save s $D/m", "assign d 9",
                                           "restore s $D/m", "value d"],
    "saveable_objects_elsewhere": DEVICES + ["object o b a", "saver s sharded=1 objects=o !All tensors of a saveable object must "
                                           "be on the same device: o"],
    "saveable_objects_of_a_shard": PLAIN + ["object o a b", "saver s sharded=1 var_list=c/d objects=o", "save s $D/m", "assign b 9",
                                            "restore s $D/m", "value b"],
    "saveable_objects_v1": PLAIN + ["object o a b", "saver s write_version=1 objects=o", "save s $D/m", "assign b 9", "restore s $D/m", "value b"],
    "reshape_sharded": DEVICES + ["saver s sharded=1 reshape=1", "save s $D/m", "restore s $D/m"],
    "restore_sequentially": PLAIN + ["saver s restore_sequentially=1", "save s $D/m"],
    "names": PLAIN + ["saver s", "saver t", "saver u name=keep", "saver v name=keep", "save v $D/m", "proto v", "proto t"],
    "filename": PLAIN + ["saver s filename=elsewhere", "save s $D/m"],
    "max_to_keep": PLAIN + ["saver s max_to_keep=2"] + saves(5),
    "max_to_keep_5": PLAIN + ["saver s"] + saves(7),
    "max_to_keep_0": PLAIN + ["saver s max_to_keep=0"] + saves(3),
    "an_old_name_again": PLAIN + ["saver s max_to_keep=2"] + saves(2) + [
        "save s $D/m global_step=1", "last s", "save s $D/m global_step=3", "last s", "save s $D/m global_step=4", "last s"],
    "keep_every_n_hours": PLAIN + ["saver s max_to_keep=1 keep_checkpoint_every_n_hours=1", "forward 2100"] +
                          saves(7, then=["forward 2100"]),
    "set_last_checkpoints": PLAIN + ["saver s max_to_keep=2"] + saves(3) + [
        "saver t max_to_keep=2", "set_last t $D/m-2,$D/m-3", "last t", "save t $D/m global_step=4", "save t $D/m global_step=5",
        "save t $D/m global_step=6", "save t $D/m global_step=7", "last t"],
    "recover_last_checkpoints": PLAIN + ["saver s max_to_keep=3"] + saves(4) + [
        "saver t max_to_keep=2", "recover t $D/m-1,$D/m-3,$D/m-2,$D/m-4", "last t", "save t $D/m global_step=5", "last t",
        "save t $D/m global_step=6", "last t"],
    "global_step_tensors": STEP + ["saver s", "save s $D/m global_step=global_step:0", "save s $D/m global_step=fraction:0",
                                   "save s $D/m global_step=-3", "save s $D/m global_step=vector:0 !"],
    "pad_step_number": STEP + ["saver s pad_step_number=1", "save s $D/m global_step=7", "save s $D/m global_step=-3",
                               "save s $D/m global_step=1234567890", "save s $D/m", "last s"],
    "latest_filename": PLAIN + ["saver s", "save s $D/m latest_filename=newest", "latest $D newest", "latest $D",
                                "save s $D/m latest_filename=a/b !'latest_filename' must not contain path components",
                                "save s $D/checkpoint !'latest_filename' collides with 'save_path': 'checkpoint' and",
                                "save s $D/newest latest_filename=newest !'latest_filename' collides with 'save_path'",
                                "save s $D/checkpoint global_step=1"],
    "a_state_file_in_the_way": DEVICES + ["saver s sharded=1", "save s $D/checkpoint write_meta_graph=0 !conflicts with path used for"],
    "meta_graph_suffix": PLAIN + ["saver s max_to_keep=1"] + saves(2, "meta_graph_suffix=graph"),
    "write_meta_graph": PLAIN + ["saver s", "save s $D/m write_meta_graph=0"],
    "write_state": PLAIN + ["saver s max_to_keep=1"] + saves(3, "write_state=0"),
    "strip_default_attrs": PLAIN + ["saver s", "save s $D/m strip_default_attrs=1"],
    "save_debug_info": PLAIN + ["saver s", "save s $D/m save_debug_info=1"],
    "shard_like_names": PLAIN + ["saver s", "save s $D/s-00000-of-00001"],
    "relative_paths": PLAIN + ["saver s", "save s rel", "save s ./rel2", "save s sub/m", "last s", "state sub", "latest sub", "latest ."],
    "absolute_after_relative": PLAIN + ["saver s", "save s rel", "save s $D/abs", "save s $D/sub/m", "state sub"],
    "save_relative_paths": PLAIN + ["saver s save_relative_paths=1", "save s $D/m", "save s $D/sub/n", "save s $D/o", "last s",
                                    "latest $D"],
    "defer_build": PLAIN + ["saver s defer_build=1", "save s $D/m !`build()` should be called before save if defer_build==True",
                            "build s", "build s", "save s $D/m"],
    "defer_build_of_a_list": PLAIN + ["saver s defer_build=1 var_list=a !If `var_list` is provided then build cannot be deferred. "
                                      "Either set defer_build=False or var_list=None."],
    "protos": PLAIN + ["saver s name=scope/save max_to_keep=3", "proto s", "proto s scope", "from_proto s t",
                       "save t $D/m", "from_proto s u scope", "restore u $D/m", "meta u $D/u.meta clear_extraneous_savers=1"],
    "export_meta_graph": PLAIN + ["saver s", "saver t", "meta s $D/x.meta clear_extraneous_savers=1", "meta t $D/y.meta clear_devices=1"],
    "missing_folders": PLAIN + ["saver s", "save s $D/no/m", "save s $D/no1/no/m !doesn't exist, can't save.", "saver t sharded=1",
                                "save t $D/no2/m !Parent directory of $D/no2/m doesn't exist, can't save."],
    "over_an_old_one": PLAIN + ["saver s", "save s $D/m", "assign a 5", "save s $D/m", "assign a 6", "restore s $D/m", "value a"],
    "uninitialized": begin(plain) + ["saver s", "save s $D/m !Attempting to use uninitialized value"],
    "restore_of_nothing": PLAIN + ["saver s", "restore s !Can't load save_path when it is",
                                   "restore s $D/none !The passed save_path is not a valid checkpoint: $D/none"],
    "restore_missing": PLAIN + ["saver s", "save s $D/m"] + begin(missing) + [
        "saver s", "restore s $D/m !This is most likely due to a Variable name or other graph key that is missing from the checkpoint. "
        "Please ensure that you have not altered the graph expected based on the checkpoint. Original error:\\n\\n",
        "restore s $D/m !Key zz not found in checkpoint"],
    "restore_wrong_shape": PLAIN + ["saver s", "save s $D/m"] + begin(wrong_shape) + [
        "saver s", "restore s $D/m !This is most likely due to a mismatch between the current graph and the graph from the checkpoint.",
        "restore s $D/m !Assign requires shapes of both tensors to match. lhs shape= [4] rhs shape= [3]"],
    "restore_wrong_type": PLAIN + ["saver s", "save s $D/m"] + begin(wrong_type) + [
        "saver s", "restore s $D/m !tensor_name = a; expected dtype double does not equal original dtype float"],
    "restore_parts_of_another_shape": begin(whole) + ["saver s var_map=q:p", "assign p 1", "save s $D/m"] + begin(parts) + [
        "saver s var_map=q:q/part_0+q/part_1",
        "restore s $D/m !tensor_name = q; shape in shape_and_slice spec [4,2] does not match the shape stored in checkpoint: [12,2]"],
    "object_based": begin(objects) + ["saver s", "restore s $G/objects", "value a", "value c/d", "saver t var_map=c/d:c/d sharded=1",
                                      "assign c/d 0", "restore t $G/objects", "value c/d"],
    "object_based_parts": begin(objects_in_parts) + ["saver s", "restore s $G/objects", "value a/part_2"],  # TensorFlow restores only one part.
    "object_based_missing": begin(plain) + ["saver s", "restore s $G/objects !\\n\\nExisting variables not in the checkpoint: b\\n\\nVariables "
                                            "names when this checkpoint was written which don't exist now: \\n\\n(2 variable name(s) did match)"
                                            "\\n\\nCould not find some variables in the checkpoint (see names above)."],
    "object_based_wrong_shape": begin(wrong_shape) + [
        "saver s", "restore s $G/objects !Assign requires shapes of both tensors to match. lhs shape= [4] rhs shape= [3]"],
    "resources": RESOURCES + ["saver s", "save s $D/m", "assign a 9", "assign p/part_1 9", "restore s $D/m", "value a", "value p/part_1",
                              "value r", "saver t reshape=1 var_map=a:a", "restore t $D/m"],
    "resources_sharded": RESOURCES + ["saver s sharded=1", "save s $D/m", "assign a 9", "restore s $D/m", "value a"],
    "resources_in_a_map": RESOURCES + ["saver s var_map=x:p/part_1+p/part_0,w/y:a,z:r", "save s $D/m", "assign p/part_0 9", "restore s $D/m",
                                       "value p/part_0", "saver t var_list=r,b,p/part_0 sharded=1 max_to_keep=1", "save t $D/n",
                                       "restore t $D/n", "saver u sharded=1 reshape=1", "restore u $D/m !Key"],
    "resources_to_references": RESOURCES + ["saver s", "save s $D/m"] + begin(references) + ["saver s", "restore s $D/m", "value p", "value r",
                               "assign p 8", "assign r 8", "save s $D/n"] + begin(resources, 2) + [
                                   "saver s sharded=1", "restore s $D/n", "value p/part_0", "value p/part_1", "value r"],
    "imported_resources": RESOURCES + ["saver s sharded=1", "save s $D/m", "load t $D/m.meta", "session 2",
                                       "run save/restore_all save/Const:0 $D/m", "value a", "value p/part_1", "assign a 8",
                                       "run save/Identity_4:0 save/Const:0 $D/n", "assign a 9", "restore t $D/n", "value a", "save t $D/o"],
    "resources_uninitialized": ["graph resources.meta", "session 2", "saver s", "save s $D/m !"],
    # Assigning a resource variable does not validate the shape.
    "resources_of_another_shape": RESOURCES + ["saver s var_map=b:a", "save s $D/m", "saver t var_map=b:b", "restore t $D/m", "value b",
                                               "saver u var_map=b:b reshape=1", "restore u $D/m !"],
    "resources_wrong_type": RESOURCES + ["saver s var_list=a", "save s $D/m"] + begin(resource_of_doubles) + ["saver s", "restore s $D/m !"],
    "resources_of_unknown_shape": begin(unknown_shape) + ["assign r 1", "init", "saver s", "save s $D/m write_meta_graph=0", "restore s $D/m", "value u",
                                                          "saver t reshape=1", "restore t $D/m", "value u"],
    "v1": PLAIN + ["saver s write_version=1 max_to_keep=2"] + saves(3) + [
        "assign a 9", "restore s $D/m-3", "value a", "latest $D", "exists $D/m-3", "exists $D/m-1", "proto s"],
    "v1_sharded": DEVICES + ["saver s write_version=1 sharded=1 max_to_keep=2"] + saves(3) + [
        "assign a 9", "assign b 9", "restore s $D/m-3-?????-of-00003", "value a", "value b", "latest $D"],
    "v1_parts": PARTS + ["saver s write_version=1", "save s $D/m", "assign p/part_3 9", "restore s $D/m", "value p/part_3"],
    "v1_missing": PLAIN + ["saver s write_version=1", "save s $D/m"] + begin(missing) + [
        "saver s write_version=1", "restore s $D/m !Tensor name \"zz\" not found in checkpoint files $D/m"],
    "v1_to_a_v2_saver": PLAIN + ["saver s write_version=1", "save s $D/m", "assign a 9", "saver t", "restore t $D/m", "value a", "value c/d",
                                 "saver u sharded=1 var_map=b:b", "assign b 9", "restore u $D/m", "value b", "restore u $D/m.index !"],
    "v2_to_a_v1_saver": PLAIN + ["saver s", "save s $D/m", "assign a 9", "saver t write_version=1", "restore t $D/m", "value a",
                                 "saver u write_version=1 sharded=1", "assign a 9", "restore u $D/m", "value a"],
    "v1_sharded_to_a_v2_saver": DEVICES + ["saver s write_version=1 sharded=1", "save s $D/m", "assign a 9", "assign b 9", "saver t",
                                           "restore t $D/m-?????-of-00003", "value a", "value b", "assign d 9", "saver u sharded=1",
                                           "restore u $D/m-?????-of-00003", "value d",
                                           "restore u $D/m-00000-of-00003 !not found in checkpoint",
                                           "restore u $D/m !The passed save_path is not a valid checkpoint: $D/m"],
    "v2_sharded_to_a_v1_saver": DEVICES + ["saver s sharded=1", "save s $D/m", "assign b 9", "saver t write_version=1 sharded=1",
                                           "restore t $D/m", "value b"],
    "v1_parts_to_others": PARTS + ["saver s write_version=1", "save s $D/m"] + begin(two_parts) + [
        "saver s", "restore s $D/m", "value p/part_0", "value p/part_1"] + begin(whole) + [
            "saver s write_version=1", "restore s $D/m", "value p"],
    "v1_whole_to_parts": begin(whole) + ["assign p 5", "saver s write_version=1", "save s $D/m"] + begin(two_parts) + [
        "saver s", "restore s $D/m", "value p/part_0", "value p/part_1"],
    "v1_resources": RESOURCES + ["saver s write_version=1", "save s $D/m", "assign a 9", "assign p/part_1 9", "saver t", "restore t $D/m",
                                 "value a", "value p/part_1"],
    "v1_resources_sharded": RESOURCES + ["saver s write_version=1 sharded=1", "save s $D/m", "assign a 9", "saver t reshape=1",
                                         "restore t $D/m-?????-of-00002", "value a"],
    "v1_missing_to_a_v2_saver": PLAIN + ["saver s write_version=1", "save s $D/m"] + begin(missing) + [
        "saver s", "restore s $D/m !Tensor name \"zz\" not found in checkpoint files $D/m"],
    "v1_wrong_shape": PLAIN + ["saver s write_version=1", "save s $D/m"] + begin(wrong_shape) + [
        "saver s", "restore s $D/m !Assign requires shapes of both tensors to match. lhs shape= [4] rhs shape= [3]"],
    "v1_wrong_type": PLAIN + ["saver s write_version=1", "save s $D/m"] + begin(wrong_type) + ["saver s", "restore s $D/m !"],
    "v1_parts_of_another_shape": begin(whole) + ["saver s write_version=1 var_map=q:p", "assign p 1", "save s $D/m"] + begin(parts) + [
        "saver s var_map=q:q/part_0+q/part_1", "restore s $D/m !"],
    "imported_v1_nodes": DEVICES + ["saver s write_version=1 sharded=1", "save s $D/m", "load t $D/m.meta", "session 2",
                                    "run save/restore_all save/Const:0 $D/m-?????-of-00003", "value b", "assign b 8",
                                    "run save/ShardedFilespec:0 save/Const:0 $D/n", "assign b 9", "restore t $D/n-?????-of-00003",
                                    "value b"],
    "imported_nodes": PLAIN + ["saver s", "save s $D/m", "load t $D/m.meta", "session 1", "run save/restore_all save/Const:0 $D/m",
                               "value a", "assign a 8", "run save/control_dependency:0 save/Const:0 $D/n", "assign a 9",
                               "restore t $D/n", "value a", "save t $D/o"],
    "imported_sharded_nodes": DEVICES + ["saver s sharded=1", "save s $D/m", "load t $D/m.meta", "session 2",
                                         "run save/restore_all save/Const:0 $D/m", "value b", "assign b 8",
                                         "run save/Identity:0 save/Const:0 $D/n", "assign b 9", "restore t $D/n", "value b",
                                         "save t $D/o"],
    "state": ["state $D", "latest $D", "touch $D/checkpoint :", "state $D", "touch $D/checkpoint", "state $D !Invalid checkpoint state loaded from",
              "update $D $D/m", "state $D", "latest $D", "touch $D/m.index", "latest $D", "exists $D/m", "exists $D/n", "touch $D/n",
              "exists $D/n", "mtimes $D/m,$D/n,$D/o", "update $D $D/n $D/m,$D/n 1,2.5", "state $D",
              "update $D $D/n $D/m 1 !Checkpoint timestamps, if provided, must match checkpoint paths", "update . rel x,y,rel", "state ."],
    "remove_checkpoint": PLAIN + ["saver s", "save s $D/m global_step=1", "save s $D/m global_step=2", "remove $D/m-1", "remove $D/none"],
    "checkpoints_iterator": PLAIN + ["saver s", "save s $D/m global_step=1", "iterate $D 2 300", "iterate $D/none 1 100"],
}


@unittest.skipUnless(os.path.exists(DRIVER), "skipped: RAMET_BUILD names no build folder with bin/saver_driver")
class ScriptTest(unittest.TestCase):
    """Runs scripts on both sides."""

    @classmethod
    def setUpClass(cls):
        cls.graphs = tempfile.TemporaryDirectory()
        write_objects(os.path.join(cls.graphs.name, "objects"))
        for make in GRAPHS:
            with tf.Graph().as_default(), tf.variable_scope("", use_resource=False):
                make()
                tf.train.export_meta_graph(os.path.join(cls.graphs.name, make.__name__ + ".meta"))

    @classmethod
    def tearDownClass(cls):
        cls.graphs.cleanup()

    def lines(self, script, folder):
        """Returns the fields of each line."""
        for line in script:
            words = line.partition(" !")[0].replace("$D", folder).replace("$G", self.graphs.name).split()
            if words[0] == "graph":
                words[1] = os.path.join(self.graphs.name, words[1])
            yield words

    def with_tensorflow(self, script, folder):
        oracle, here, now = Oracle(), os.getcwd(), time.time
        os.chdir(folder)
        try:
            with mock.patch.object(time, "time", lambda: now() + oracle.ahead):
                return [oracle.run(words).replace(folder, "$D") for words in self.lines(script, folder)]
        finally:
            os.chdir(here)

    def with_ramet(self, script, folder):
        path = folder + ".script"
        with open(path, "w", encoding="utf-8") as file:
            file.writelines("\t".join(words) + "\n" for words in self.lines(script, folder))
        done = subprocess.run([DRIVER, path], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
        os.remove(path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return [line.replace(folder, "$D").replace("\\n", "\n") for line in done.stdout.splitlines()]


class SaverOptionsTest(ScriptTest):

    def check(self, script):
        folders = [tempfile.mkdtemp(prefix="saver-" + who) for who in ("tf", "ramet")]
        try:
            want = self.with_tensorflow(script, folders[0])
            got = self.with_ramet(script, folders[1])
            self.assertEqual(len(want), len(got))
            for line, w, g in zip(script, want, got):
                self.compare_line(line, w, g)
            self.compare_folders(*folders)
        finally:
            for folder in folders:
                shutil.rmtree(folder)

    def compare_line(self, line, want, got):
        if " !" not in line:
            self.assertEqual(got.strip(), want.strip(), line)
            return
        text = line.partition(" !")[2].replace("\\n", "\n")
        self.assertTrue(want.startswith("error"), (line, want))
        self.assertEqual(got.split()[:1], ["error"], (line, got))
        self.assertEqual(got.split()[1].rstrip(":"), want.split()[1], (line, got, want))
        self.assertIn(text, want, line)
        self.assertIn(text, got, line)

    def compare_folders(self, want, got):
        listing = lambda top: sorted(os.path.relpath(os.path.join(d, f), top) for d, _, fs in os.walk(top) for f in fs)
        # Ramet has no stack traces for a .debug file.
        named = lambda files: [f for f in files if ".data-" not in f and not f.endswith(".debug")]
        files = named(listing(want))
        self.assertEqual(named(listing(got)), files)
        for file in files:
            paths = os.path.join(want, file), os.path.join(got, file)
            if os.path.basename(file) in ("checkpoint", "newest"):
                texts = [open(p, encoding="utf-8").read().replace(top, "$D") for p, top in zip(paths, (want, got))]
                self.assertEqual(texts[1], texts[0], file)
            elif file.endswith((".meta", ".graph")):
                self.compare_metas(*paths)
            elif "." not in file:
                self.assertEqual(*(open(p, "rb").read() for p in paths), file)
            elif file.endswith(".index") and os.path.getsize(paths[0]):
                self.compare_checkpoints(*(p[:-len(".index")] for p in paths))

    def compare_checkpoints(self, want, got):
        readers = [tf.train.load_checkpoint(p) for p in (want, got)]
        shapes = [r.get_variable_to_shape_map() for r in readers]
        self.assertEqual(shapes[1], shapes[0], want)
        for name in shapes[0]:
            # Some scripts save only a part of a variable.
            try:
                value = readers[0].get_tensor(name)
            except (tf.errors.InvalidArgumentError, ValueError):
                continue
            np.testing.assert_array_equal(readers[1].get_tensor(name), value, name)
        again = [p + ".data-00001-of-00002" for p in (got, want)]
        if not any(map(os.path.exists, again)):
            self.assertEqual(open(got + ".index", "rb").read(), open(want + ".index", "rb").read(), want)

    def compare_metas(self, want, got):
        metas = []
        for path in (want, got):
            meta = meta_graph_pb2.MetaGraphDef()
            with open(path, "rb") as file:
                meta.ParseFromString(file.read())
            metas.append(meta)
        self.assertEqual(metas[1].saver_def, metas[0].saver_def)
        self.assertEqual(metas[1].meta_info_def.stripped_default_attrs, metas[0].meta_info_def.stripped_default_attrs)
        nodes = [self.nodes(m) for m in metas]
        self.assertEqual([n.name for n in nodes[1]], [n.name for n in nodes[0]], want)
        for w, g in zip(*nodes):
            self.assertEqual(g, w, want)

    @staticmethod
    def nodes(meta):
        """Returns the nodes without the attrs that only TensorFlow's eager bookkeeping and exports add."""
        for node in meta.graph_def.node:
            for attr in ("_has_manual_control_dependencies", "_output_shapes"):
                node.attr.pop(attr, None)
            controls = sorted(i for i in node.input if i.startswith("^"))
            node.input[:] = [i for i in node.input if not i.startswith("^")] + controls
            if "value" in node.attr:
                value = tf.make_ndarray(node.attr["value"].tensor)
                node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))
        return list(meta.graph_def.node)


def add_test(name, script):
    setattr(SaverOptionsTest, "test_" + name, lambda self: self.check(script))


for case_name, case_script in CASES.items():
    add_test(case_name, case_script)


class LastMetaTest(ScriptTest):
    """The only deviation: at the sixth save, TensorFlow deletes the only graph of the tutorial's recipe."""

    def test_the_last_meta_file_stays(self):
        script = PLAIN + ["saver s", "save s $D/m global_step=1"] + saves(7, "write_meta_graph=0")[2:]
        for run, stays in ((self.with_tensorflow, False), (self.with_ramet, True)):
            with self.subTest(stays), tempfile.TemporaryDirectory() as folder:
                run(script, folder)
                self.assertEqual([f for f in os.listdir(folder) if f.endswith(".meta")], ["m-1.meta"] if stays else [])
                self.assertEqual(sorted(f for f in os.listdir(folder) if f.endswith(".index")),
                                 ["m-%d.index" % i for i in (3, 4, 5, 6, 7)])


if __name__ == "__main__":
    unittest.main()
