"""Steps of LSTM and GRU layers."""

import numpy as np

from case import Case, eighths

TOL = {"float": 1e-5, "half": 2e-2}


def lstm_inputs(dtype, steps, batch, size, cell, key=0):
    shape = (batch, size) if steps is None else (steps, batch, size)
    inputs = [eighths(dtype, shape, key=("x", key))]
    for k, s in enumerate(((batch, cell), (batch, cell), (size + cell, 4 * cell), (cell,), (cell,), (cell,), (4 * cell,))):
        inputs.append(eighths(dtype, s, -1, 1, key=(k, key)))
    return inputs


def case(op, dtype, inputs, attrs, **more):
    tol = TOL[dtype]
    return Case(op, inputs, attrs, tol=tol, atol=tol, grad_tol=10 * tol, **more)


def cells():
    op = "LSTMBlockCell"
    for dtype in TOL:
        for peephole in (False, True):
            for attrs in ({}, {"forget_bias": 0.5, "cell_clip": 0.25}, {"cell_clip": -1.0}):
                yield case(op, dtype, lstm_inputs(dtype, None, 2, 2, 3), {"use_peephole": peephole, **attrs})
            saved = [eighths(dtype, (2, 3), 0, 1, key=("saved", k)) for k in range(8)]
            yield case(op + "Grad", dtype, lstm_inputs(dtype, None, 2, 2, 3) + saved, {"use_peephole": peephole})
    inputs = lstm_inputs("float", None, 2, 2, 3)
    saved = [eighths("float", (2, 3), 0, 1, key=("saved", k)) for k in range(8)]
    yield case(op, "float", other_peepholes(inputs), {})
    yield case(op + "Grad", "float", other_peepholes(inputs) + saved, {"use_peephole": False})
    yield from wrong(op, None, 0)


def other_peepholes(inputs):
    """Returns the inputs with peephole vectors of other sizes, which are valid if they are not used."""
    return inputs[:-4] + [eighths("float", (1,)), eighths("float", (0,)), eighths("float", (5,))] + inputs[-1:]


def blocks():
    for op in ("BlockLSTM", "BlockLSTMV2"):
        for dtype in TOL:
            for peephole in (False, True):
                # TensorFlow leaves the outputs of later steps than seq_len_max uninitialized.
                inputs = [np.int64(3)] + lstm_inputs(dtype, 3, 2, 2, 3)
                for attrs in ({}, {"cell_clip": 0.5}):
                    yield case(op, dtype, inputs, {"use_peephole": peephole, **attrs}, grad=dtype == "float")
        for sizes in ((0, 2, 3, 4), (2, 0, 3, 4), (2, 2, 0, 3), (2, 3, 2, 0)):
            yield case(op, "float", [np.int64(sizes[0])] + lstm_inputs("float", *sizes), {})
        yield from wrong(op, 3, 1)
    first = [np.int64(3)] + lstm_inputs("float", 3, 2, 3, 4)
    for at, shape, error in ((1, (3,), "x must be 3D"), (2, (4,), "cs_prev must be 2D"), (4, (4,), "w must be 2D"),
                             (8, (4, 4), "b must be 1D"), (5, (4, 4), "wci must be 1D"),
                             (5, (5,), "wci.dim_size(0) != cell_size: 5 vs. 4")):
        yield Case("BlockLSTM", first[:at] + [np.zeros(shape, np.float32)] + first[at + 1:], error=error)


def block_grads():
    for op in ("BlockLSTMGrad", "BlockLSTMGradV2"):
        for dtype in TOL:
            for peephole in (False, True):
                saved = [eighths(dtype, (2, 2, 3), 0, 1, key=("saved", k)) for k in range(9)]
                yield case(op, dtype, [np.int64(2)] + lstm_inputs(dtype, 2, 2, 2, 3) + saved, {"use_peephole": peephole})
        saved = [eighths("float", (2, 2, 3), 0, 1, key=("saved", k)) for k in range(9)]
        inputs = other_peepholes(lstm_inputs("float", 2, 2, 2, 3))
        yield case(op, "float", [np.int64(2)] + inputs + saved, {"use_peephole": False})


def wrong(op, steps, first):
    inputs = [np.int64(3)][:first] + lstm_inputs("float", steps, 2, 3, 4)
    for at, shape, error in ((1, (5, 4), "cs_prev.dims(0) != batch_size: 5 vs. 2"), (2, (5, 4), "h_prev.dims(0) != batch_size: 5 vs. 2"),
                             (2, (2, 5), "h_prev.dims(1) != cell_size: 5 vs. 4"),
                             (3, (6, 16), "w.dim_size(0) != input_size + cell_size: 6 vs. 7"),
                             (3, (7, 15), "w.dim_size(1) != cell_size * 4: 15 vs. 16"), (7, (5,), "b.dim_size(0) != cell_size * 4: 5 vs. 16")):
        at += first
        yield Case(op, inputs[:at] + [np.zeros(shape, np.float32)] + inputs[at + 1:], error=error)


def gru_inputs(batch, size, cell):
    shapes = ((batch, size), (batch, cell), (size + cell, 2 * cell), (size + cell, cell), (2 * cell,), (cell,))
    return [eighths("float", s, -1, 1, key=("gru", k)) for k, s in enumerate(shapes)]


def grus():
    for sizes in ((3, 2, 4), (1, 1, 1), (0, 2, 4), (2, 0, 3), (2, 3, 0)):
        yield case("GRUBlockCell", "float", gru_inputs(*sizes), {})
        if 0 in sizes:
            continue  # TensorFlow leaves the gradients uninitialized.
        saved = [eighths("float", (sizes[0], sizes[2]), 0, 1, key=("saved", k)) for k in range(4)]
        yield case("GRUBlockCellGrad", "float", gru_inputs(*sizes) + saved, {})
    inputs = gru_inputs(2, 3, 4)
    for at, shape, error in ((1, (5, 4), "h_prev.dims(0) != batch_size: 5 vs. 2"), (2, (6, 8), "w_ru.dim_size(0) != input_size + cell_size: 6 vs. 7"),
                             (2, (7, 7), "w_ru.dim_size(1) != cell_size * 2: 7 vs. 8"), (3, (6, 4), "w_c.dim_size(0) != input_size + cell_size: 6 vs. 7"),
                             (3, (7, 5), "w_c.dim_size(1) != cell_size: 5 vs. 4"), (4, (5,), "b_ru.dim_size(0) != cell_size * 2: 5 vs. 8"),
                             (5, (5,), "b_c.dim_size(0) != cell_size: 5 vs. 4")):
        yield Case("GRUBlockCell", inputs[:at] + [np.zeros(shape, np.float32)] + inputs[at + 1:], error=error)


def cases():
    for group in (block_grads, cells, blocks, grus):
        yield from group()
