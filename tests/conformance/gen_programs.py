#!/usr/bin/env python3
"""Writes tests/data/conformance_programs/<family>.json: small graphs with real TensorFlow's results,
for ops that are meaningful only together: stacks, tensor arrays, lists. Run with a Python that has
TensorFlow:

  gen_programs.py            all families
  gen_programs.py arrays     some

programs_<family>.py has a function programs() that yields (name, build) or (name, build, error): build()
adds to the default graph and returns the fetches, or a pair of the fetches and the xs of requested
gradients. `error` is a part of the error message of a run that fails.

Each line of the file is a program, an object with
  name, nodes          [name, op, inputs, attrs] each, in an order in which they can be added, or
  meta_graph           a MetaGraphDef in text form, for graphs with branches, loops or functions
  fetch, out           tensors, and their values, or
  error                a part of the error message of a run
  xs, grads            the gradients of the sum of all fetches (null if there is none)
"""

import glob
import importlib
import json
import os
import sys

import gen_cases
import numpy as np
import tensorflow.compat.v1 as tf
from google.protobuf import text_format

DATA = os.path.join(os.path.dirname(gen_cases.HERE), "data", "conformance_programs")


def config():
    c = tf.ConfigProto()
    c.graph_options.rewrite_options.disable_meta_optimizer = True
    c.graph_options.optimizer_options.opt_level = -1
    return c


def type_name(t):
    return {20: "resource", 21: "variant"}.get(t) or gen_cases.case_lib.NAMES[np.dtype(
        tf.as_dtype(t).as_numpy_dtype)]


def shape_json(s):
    return {"shape": None if s.unknown_rank else [d.size for d in s.dim]}


def attr_json(a):
    kind = a.WhichOneof("value")
    if kind == "type":
        return {"type": type_name(a.type)}
    if kind == "shape":
        return shape_json(a.shape)
    if kind == "tensor":
        return {"tensor": gen_cases.tensor_text(tf.make_ndarray(a.tensor))}
    if kind == "s":
        return a.s.decode()
    if kind == "f":
        return {"float": a.f}
    return a.i if kind == "i" else a.b


def nodes_json(graph):
    nodes = []
    for n in graph.as_graph_def().node:
        attrs = {k: attr_json(v) for k, v in sorted(n.attr.items()) if not k.startswith("_")}
        nodes.append([n.name, n.op, list(n.input), attrs])
    return nodes


def graph_json(graph):
    """Returns the member with the graph."""
    graph_def = graph.as_graph_def()
    has_lists = any(a.WhichOneof("value") == "list" for n in graph_def.node for a in n.attr.values())
    if not (has_lists or graph_def.HasField("library") or any(n.op in ("Switch", "Enter") for n in graph_def.node)):
        return {"nodes": nodes_json(graph)}
    meta = tf.MetaGraphDef()
    contexts = ("cond_context", "while_context")
    exported = tf.train.export_meta_graph(graph=graph, collection_list=[c for c in contexts if c in graph.collections])
    for name in exported.collection_def:
        meta.collection_def[name].CopyFrom(exported.collection_def[name])
    for node in graph_def.node:
        drop_hints(node)
    for function in graph_def.library.function:
        function.attr.clear()
        for node in function.node_def:
            drop_hints(node)
    meta.graph_def.CopyFrom(graph_def)
    return {"meta_graph": text_format.MessageToString(meta, as_one_line=True)}


def drop_hints(node):
    """Removes attrs that are only hints or annotations, such as long constants for other programs."""
    node.ClearField("experimental_debug_info")
    for name in ("config_proto", "_read_only_resource_inputs", "_XlaMustCompile"):
        if name in node.attr:
            del node.attr[name]


def run(name, build, error=None, once=False):
    """Runs a program. `once` says that it cannot run twice in a session, because a run leaves state behind."""
    with tf.Graph().as_default() as graph, tf.Session(config=config()) as session:
        fetch = build()
        fetch, xs = fetch if isinstance(fetch, tuple) else (fetch, [])
        fetch = list(fetch) if isinstance(fetch, (list, tuple)) else [fetch]
        line = {"name": name, "fetch": [t.name for t in fetch]}
        line.update(graph_json(graph))
        if once:
            line["once"] = True
        if error:
            try:
                session.run(fetch)
            except tf.errors.OpError as e:
                assert error in str(e), "%s: expected %r, got %s" % (name, error, e)
                return dict(line, error=error)
            raise AssertionError("%s: expected the error %r" % (name, error))
        line["out"] = [gen_cases.tensor_text(v) for v in session.run(fetch)]
        if xs:
            line["xs"] = [x.name for x in xs]
            grads = tf.gradients(fetch, xs)
            line["grads"] = [None if g is None else gen_cases.tensor_text(session.run(g)) for g in grads]
        return line


def main():
    tf.disable_v2_behavior()
    here = gen_cases.HERE
    families = sys.argv[1:] or sorted(os.path.basename(p)[9:-3] for p in glob.glob(os.path.join(here, "programs_*.py")))
    os.makedirs(DATA, exist_ok=True)
    for family in families:
        module = importlib.import_module("programs_" + family)
        once = getattr(module, "STATE_OUTLIVES_RUNS", False)
        lines = [json.dumps(run(*p, once=once), separators=(",", ":")) for p in module.programs()]
        path = os.path.join(DATA, family + ".json")
        with open(path, "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")
        print("%s: %d programs, %d bytes" % (path, len(lines), os.path.getsize(path)))


if __name__ == "__main__":
    main()
