"""Functions of a graph, Python functions in a graph, and gradients that programs define."""
