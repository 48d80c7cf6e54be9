"""Edits graphs, like tf.contrib.graph_editor.

select finds operations and tensors. A SubGraphView is a part of a graph. reroute and edit change edges
in place, and transform copies. Each edit is a patch that is applied completely or not at all.
"""

# ruff: noqa: F401 - the names are public

from ramet.graph_editor import edit, own_state, patch, reroute, select, subgraph, transform, util
from ramet.graph_editor.edit import (
    bypass,
    connect,
    detach,
    detach_control_inputs,
    detach_control_outputs,
    detach_inputs,
    detach_outputs,
)
from ramet.graph_editor.own_state import complete
from ramet.graph_editor.patch import Patch
from ramet.graph_editor.reroute import (
    add_control_inputs,
    remove_control_inputs,
    reroute_inputs,
    reroute_ios,
    reroute_outputs,
    reroute_ts,
    swap_inputs,
    swap_ios,
    swap_outputs,
    swap_ts,
)
from ramet.graph_editor.select import (
    can_be_regex,
    check_cios,
    compute_boundary_ts,
    filter_ops,
    filter_ops_from_regex,
    filter_ts,
    filter_ts_from_regex,
    get_backward_walk_ops,
    get_forward_walk_ops,
    get_name_scope_ops,
    get_ops_ios,
    get_walks_intersection_ops,
    get_walks_union_ops,
    get_within_boundary_ops,
    make_regex,
    select_ops,
    select_ops_and_ts,
    select_ts,
)
from ramet.graph_editor.subgraph import SubGraphView, make_view, make_view_from_scope
from ramet.graph_editor.transform import (
    Transformer,
    TransformerInfo,
    assign_renamed_collections_handler,
    copy,
    copy_op_handler,
    copy_with_input_replacements,
    graph_replace,
    keep_t_if_possible_handler,
    replace_t_with_placeholder_handler,
    transform_op_if_inside_handler,
)
from ramet.graph_editor.util import (
    ControlOutputs,
    get_consuming_ops,
    get_generating_ops,
    get_tensors,
    make_list_of_op,
    make_list_of_t,
    make_placeholder_from_dtype_and_shape,
    make_placeholder_from_tensor,
    placeholder_name,
)

sgv = make_view
sgv_scope = make_view_from_scope
ph = make_placeholder_from_dtype_and_shape
