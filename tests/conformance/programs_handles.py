"""Handles of variables that other ops pass on. The variable has no value before it is assigned through the handle."""

import numpy as np
import tensorflow.compat.v1 as tf

r = tf.raw_ops

PASS_ON = {
    "identity": lambda handle, yes: r.Identity(input=handle),
    "identity_n": lambda handle, yes: r.IdentityN(input=[tf.constant(1), handle])[1],
    "stop_gradient": lambda handle, yes: r.StopGradient(input=handle),
    "prevent_gradient": lambda handle, yes: r.PreventGradient(input=handle),
    "placeholder_with_default": lambda handle, yes: r.PlaceholderWithDefault(input=handle, shape=[]),
    "print": lambda handle, yes: r.Print(input=handle, data=[yes]),
    "cast": lambda handle, yes: r.Cast(x=handle, DstT=tf.resource),
    "switch": lambda handle, yes: r.Switch(data=handle, pred=yes)[1],
    "merge": lambda handle, yes: r.Merge(inputs=list(r.Switch(data=handle, pred=yes)))[0],
    "loop_frame": lambda handle, yes: r.Exit(data=r.Enter(data=handle, frame_name="frame")),
}


def programs():
    for name, pass_on in PASS_ON.items():
        def build(pass_on=pass_on):
            handle = r.VarHandleOp(dtype=tf.float32, shape=[2], shared_name="v")
            passed = pass_on(handle, tf.constant(True))
            assign = r.AssignVariableOp(resource=passed, value=np.float32([3, 4]))
            with tf.control_dependencies([assign]):
                return [r.ReadVariableOp(resource=handle, dtype=tf.float32),
                        r.ReadVariableOp(resource=passed, dtype=tf.float32)]
        yield "handle_through_" + name, build
