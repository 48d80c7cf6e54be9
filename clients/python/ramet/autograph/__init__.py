"""AutoGraph: Python control flow on tensors as control flow of the graph.

`calls` decides which functions are converted. `source` finds the syntax tree of a function, `jumps` replaces break,
continue and return by flags, `names` finds which variables a statement needs, `rewriting` replaces statements by calls
of the functions of `operators`, and `conversion` compiles the result with the line numbers of the original.
"""
