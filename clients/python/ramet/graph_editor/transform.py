"""Copies parts of a graph: Transformer, whose steps can be replaced, and functions that use it."""

from ramet import _core
from ramet.framework.graph import Graph
from ramet.framework.tensors import Operation, Tensor
from ramet.graph_editor import handlers, loops, select, subgraph, util
from ramet.graph_editor import own_state as own_state_lib
from ramet.graph_editor.handlers import (  # noqa: F401 - also accessible through this module
    assign_renamed_collections_handler,
    copy_op_handler,
    keep_t_if_possible_handler,
    replace_t_with_placeholder_handler,
    transform_op_if_inside_handler,
)
from ramet.graph_editor.patch import Patch, placeholder_like


class TransformState:
    """The state of a running transformation, which handlers receive.

    Attributes:
      sgv: the view that is copied; graph: its graph.
      sgv_inputs_set: its inputs.
      ops: its operations in the order of creation; members: the same as a set.
      graph_: the graph of the copies.
      scope: the source scope; scope_: that of the copies. Both end with a slash.
      transformed_ops, transformed_ts: dicts from originals to copies.
      collections: a dict from names to items of the source graph.
      control_outputs: a util.ControlOutputs of the source graph.
    """

    def __init__(self, sgv, dst_graph, dst_scope, src_scope):
        self.sgv = sgv
        self.sgv_inputs_set = frozenset(sgv.inputs)
        self.ops = sorted(dict.fromkeys(sgv.ops), key=lambda op: op._id)
        self.members = frozenset(self.ops)
        self.graph = sgv.graph
        self.scope = src_scope
        self.graph_ = dst_graph
        self.scope_ = dst_scope
        self.transformed_ops = {}
        self.transformed_ts = {}
        self.external = {}
        self.stand_ins = []
        self.transform_original_op_handler = transform_op_if_inside_handler
        keys = self.graph.get_all_collection_keys()
        self.collections = {key: self.graph.get_collection(key) for key in keys}
        self._collections_of = {}
        for name, items in self.collections.items():
            for item in items:
                if isinstance(item, (Tensor, Operation)):
                    self._collections_of.setdefault(item, {})[name] = True

    @property
    def control_outputs(self):
        return util.ControlOutputs(self.graph)

    def collections_of(self, elem):
        """Returns the names of the collections that an operation or tensor is in."""
        return self._collections_of.get(elem, ())

    def collection_name(self, name):
        """Returns the name of the collection for copies of the items of collection `name`."""
        return name if name in handlers.PREDEFINED_COLLECTIONS else self.new_name(name)

    def new_name(self, name):
        """Returns a name with the source scope replaced by the new scope.

        Raises:
          ValueError: if the name is not under the source scope.
        """
        if not name.startswith(self.scope):
            raise ValueError(f'{name} does not belong to source scope: {self.scope}.')
        return self.scope_ + name[len(self.scope):]

    def check_names(self, collections):
        """Raises the errors that new_name would raise later."""
        for op in self.ops:
            self.new_name(op.name)
            for elem in (op, *op.outputs) if collections and self._collections_of else ():
                for name in self.collections_of(elem):
                    self.collection_name(name)


def _inverse(mapping):
    return {value: key for key, value in mapping.items() if value is not None}


class TransformerInfo:
    """The mapping between original and copied operations and tensors."""

    def __init__(self, info):
        self._graph, self._scope = info.graph, info.scope
        self._graph_, self._scope_ = info.graph_, info.scope_
        self._transformed_ops = info.transformed_ops
        self._transformed_ts = info.transformed_ts
        self._original_ops = _inverse(info.transformed_ops)
        self._original_ts = _inverse(info.transformed_ts)

    def _mapped(self, structure, ops, ts, missing_fn):
        def find(top):
            if not isinstance(top, (Tensor, Operation)):
                raise TypeError(f'Expected a tf.Tensor or a tf.Operation, got a {type(top)}')
            found = (ts if isinstance(top, Tensor) else ops).get(top)
            return missing_fn(top) if found is None and missing_fn is not None else found

        return util.transform_tree(structure, find)

    def transformed(self, original, missing_fn=None):
        """Returns the copies of operations and tensors.

        Args:
          original: an operation, a tensor, or a structure of them.
          missing_fn: a function that returns the result for an element that was not copied. By default,
            the result is None.

        Raises:
          TypeError: if an element has the wrong type.
        """
        return self._mapped(original, self._transformed_ops, self._transformed_ts, missing_fn)

    def original(self, transformed, missing_fn=None):
        """Returns the originals of copied operations and tensors; see transformed."""
        return self._mapped(transformed, self._original_ops, self._original_ts, missing_fn)

    def __str__(self):
        lines = [
            'Transformer result info:',
            f'Source scope: {self._scope or "<root>"}; new scope: {self._scope_ or "<root>"}',
            f'Operations[{len(self._transformed_ops)}]:',
            *(f'  {op.name} => {op_.name}' for op, op_ in self._transformed_ops.items()),
            f'Tensors[{len(self._transformed_ts)}]:',
            *(f'  {t.name} => {t_.name}' for t, t_ in self._transformed_ts.items()),
        ]
        return '\n'.join(lines)


class Transformer:
    """Copies a view, operation by operation, into a graph.

    Each step is an attribute that can be replaced by a different function:
        transform_op_handler(info, op, new_inputs) -> (copy, outputs)
        transform_control_input_handler(info, op), transform_original_op_handler(info, op)
            -> an operation or None
        assign_collections_handler(info, elem, copy)
        transform_external_input_handler(info, t), for the view's inputs, and
        transform_external_hidden_input_handler(info, t), for other tensors from outside
            -> the tensor to use
    """

    def __init__(self):
        self.transform_op_handler = copy_op_handler
        self.transform_control_input_handler = transform_op_if_inside_handler
        self.transform_original_op_handler = transform_op_if_inside_handler
        self.assign_collections_handler = assign_renamed_collections_handler
        self.transform_external_input_handler = replace_t_with_placeholder_handler
        self.transform_external_hidden_input_handler = keep_t_if_possible_handler

    def __call__(self, sgv, dst_graph, dst_scope, src_scope='', reuse_dst_scope=False):
        """Copies a view.

        Args:
          sgv: a view, or the arguments of make_view.
          dst_graph: the graph of the copies.
          dst_scope: their scope, which is made unique.
          src_scope: the name prefix that dst_scope replaces.
          reuse_dst_scope: whether to use dst_scope as it is.

        Returns:
          (the view of the copies, a TransformerInfo)

        Raises:
          TypeError: if dst_graph is not a graph.
          ValueError: if a name is not in src_scope, or if a handler returns the operation itself.
        """
        sgv = subgraph.make_view(sgv)
        if not isinstance(dst_graph, Graph):
            raise TypeError(f'Expected a tf.Graph, got: {type(dst_graph)}')
        if not sgv:
            raise ValueError('Cannot transform an empty view.')
        info = TransformState(sgv, dst_graph, dst_scope, util.scope_finalize(src_scope))
        info.transform_original_op_handler = self.transform_original_op_handler
        if self.transform_op_handler is copy_op_handler:
            info.check_names(self.assign_collections_handler is assign_renamed_collections_handler)
        if dst_scope and not reuse_dst_scope:
            dst_scope = _core.unique_full_name(dst_graph, dst_scope.rstrip('/'))
        info.scope_ = util.scope_finalize(dst_scope)
        for op in info.ops:
            self._copy(info, op)
        self._connect(info)
        return self._view(info), TransformerInfo(info)

    def _copy(self, info, op):
        new_inputs = [self._input(info, op, i, t) for i, t in enumerate(op.inputs)]
        op_, outputs_ = self.transform_op_handler(info, op, new_inputs)
        if op_ is op:
            raise ValueError('In-place transformation not allowed.')
        info.transformed_ops[op] = op_
        if self.assign_collections_handler is not None:
            self.assign_collections_handler(info, op, op_)
        for t, t_ in zip(op.outputs, outputs_):
            info.transformed_ts[t] = t_
            if self.assign_collections_handler is not None:
                self.assign_collections_handler(info, t, t_)

    def _input(self, info, op, index, t):
        if t in info.transformed_ts:
            return info.transformed_ts[t]
        if t.op in info.members and t not in info.sgv_inputs_set:
            info.stand_ins.append((op, index, t))
            return self._stand_in(info, op, t)
        if t not in info.external:
            known = t in info.sgv_inputs_set
            handler = (
                self.transform_external_input_handler if known
                else self.transform_external_hidden_input_handler
            )
            info.external[t] = handler(info, t)
        return info.external[t]

    def _stand_in(self, info, op, t):
        """Returns a temporary input of `op` until the copy of `t` exists."""
        first = op.inputs[0]
        if op.type in ('Merge', 'RefMerge') and first is not t:
            return self._input(info, op, 0, first)
        return placeholder_like(info.graph_, t, info.scope_, prefix='geph_tmp')

    def _connect(self, info):
        """Replaces the temporary inputs of the copies, and adds their control inputs."""
        patch = Patch(info.graph_)
        changed = False
        for op, index, t in info.stand_ins:
            patch.set_input(info.transformed_ops[op], index, info.transformed_ts[t])
            changed = True
        for op in info.ops:
            op_ = info.transformed_ops[op]
            controls = [self.transform_control_input_handler(info, c) for c in op.control_inputs]
            known = set(op_.control_inputs)
            for control in controls:
                if control is not None and control not in known:
                    patch.add_control_input(op_, control)
                    changed = True
        if changed:
            patch.apply(check_cycles=False)

    @staticmethod
    def _view(info):
        copies = list(dict.fromkeys(info.transformed_ops[op] for op in info.sgv.ops))
        view = subgraph.SubGraphView(copies)
        ts = info.transformed_ts
        view._input_ts = [ts[t] for t in info.sgv.inputs if t in ts]
        view._output_ts = [ts[t] for t in info.sgv.outputs if t in ts]
        return view


def _dst_graph(sgv, dst_graph):
    if dst_graph is None:
        return sgv.graph
    if not isinstance(dst_graph, Graph):
        raise TypeError(f'Expected a tf.Graph, got: {type(dst_graph)}')
    return dst_graph


def _transform(transformer, sgv, dst_graph, dst_scope, src_scope, reuse_dst_scope, own_state):
    if own_state:
        own_state_lib.check(sgv)
    result = transformer(
        sgv, _dst_graph(sgv, dst_graph), dst_scope, src_scope, reuse_dst_scope=reuse_dst_scope
    )
    if own_state:
        own_state_lib.complete(result[1])
    return result


def copy(
    sgv, dst_graph=None, dst_scope='', src_scope='', reuse_dst_scope=False, *, own_state=False
):
    """Copies a view. Its inputs become placeholders.

    Args:
      sgv: a view, or the arguments of make_view.
      dst_graph: the graph of the copies. Defaults to the view's graph.
      dst_scope: the scope of the copies, made unique.
      src_scope: the name prefix that dst_scope replaces.
      reuse_dst_scope: whether to use dst_scope as it is.
      own_state: whether to complete the copies; see complete(). By default, as in tf.contrib, copies of
        variables are plain operations: they are in no collection of variables and are not
        initialized, and those of resource variables share the original's state.

    Returns:
      (the view of the copies, a TransformerInfo)

    Raises:
      TypeError: if dst_graph is not a graph.
      ValueError: if a name is not in src_scope.
    """
    sgv = subgraph.make_view(sgv)
    return _transform(
        Transformer(), sgv, dst_graph, dst_scope, src_scope, reuse_dst_scope, own_state
    )


def copy_with_input_replacements(
    sgv, replacement_ts, dst_graph=None, dst_scope='', src_scope='', reuse_dst_scope=False, *,
    own_state=False,
):
    """Copies a view, with its inputs replaced by tensors.

    Args:
      sgv: a view, or the arguments of make_view.
      replacement_ts: a dict from inputs of the view to the tensors that the copies use. Other inputs
        are used as they are in the same graph, and become placeholders in a different graph.
      dst_graph: see copy; so are all further arguments.

    Returns:
      (the view of the copies, a TransformerInfo)

    Raises:
      TypeError: if dst_graph is not a graph.
      ValueError: if a name is not in src_scope, or a replacement does not match.
    """
    sgv = subgraph.make_view(sgv)

    def external_input(info, t):
        if t in replacement_ts:
            return replacement_ts[t]
        return keep_t_if_possible_handler(info, t)

    transformer = Transformer()
    transformer.transform_external_input_handler = external_input
    return _transform(
        transformer, sgv, dst_graph, dst_scope, src_scope, reuse_dst_scope, own_state
    )


def graph_replace(target_ts, replacement_ts, dst_scope='', src_scope='', reuse_dst_scope=False):
    """Computes tensors from replaced tensors, by copying the operations in between.

    Args:
      target_ts: a tensor or a structure of them.
      replacement_ts: a dict from tensors to the tensors that replace them.
      dst_scope: see copy; so are all further arguments.

    Returns:
      The structure of targets with their copies. Targets that do not depend on a replaced tensor are
      returned unchanged.

    Raises:
      TypeError: if a target is not a tensor.
      ValueError: "Targets and replacements are not connected!"; if graphs differ; if there is no
        target.
    """
    flat = list(util.iterate_members(util.iterate_leaves(target_ts), Tensor))
    graph = util.get_unique_graph(flat)
    ops = select.get_walks_intersection_ops(
        list(replacement_ts), flat, control_ios=util.ControlOutputs(graph)
    )
    if not ops:
        raise ValueError('Targets and replacements are not connected!')
    ops = loops.complete_loops(graph, ops)
    _, info = copy_with_input_replacements(
        ops, replacement_ts, None, dst_scope, src_scope, reuse_dst_scope
    )
    return info.transformed(target_ts, missing_fn=lambda t: t)
