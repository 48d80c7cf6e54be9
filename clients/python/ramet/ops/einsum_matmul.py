"""Einsum of one or two tensors by transposes, reshapes and one product of matrices."""

import functools
import operator

from ramet.ops import array_basics, array_layout, gen, math_linear, math_reduce

_SPARE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'


def build(inputs, equation):
    """Einsum of one or two tensors.

    Args:
      inputs: a list of one or two tensors.
      equation: with its right side written out; '...' needs known ranks.

    Returns:
      A tensor.

    Raises:
      ValueError: a rank is not known or does not fit the equation.
    """
    left, output = equation.split('->')
    terms = left.split(',')
    if '.' in equation:
        terms, output = _without_dots(inputs, terms, output)
    for tensor, term in zip(inputs, terms):
        if tensor.shape.rank is not None and tensor.shape.rank != len(term):
            raise ValueError(f'Expected input of rank {len(term)} for the subscript "{term}" of '
                             f'equation "{equation}", but it has rank {tensor.shape.rank}')
    if len(inputs) == 1:
        return _ordered(*_reduced(inputs[0], terms[0], output), output)
    return _product(inputs, terms, output)


def _without_dots(inputs, terms, output):
    """The terms with a letter for each dimension that '...' stands for, from the right."""
    free = [letter for letter in _SPARE if letter not in ''.join(terms)]
    counts = []
    for tensor, term in zip(inputs, terms):
        if '.' in term and tensor.shape.rank is None:
            raise ValueError('An ellipsis in the equation of einsum needs inputs of known rank.')
        counts.append(tensor.shape.rank - len(term) + 3 if '.' in term else 0)
    most = ''.join(free[:max(counts)])
    named = [term.replace('...', most[len(most) - count:]) for term, count in zip(terms, counts)]
    return named, output.replace('...', most)


def _reduced(tensor, term, needed):
    """Diagonals of letters that appear twice, sums over letters that nobody needs."""
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            first, second = term.index(letter), term.rindex(letter)
            rest = [i for i in range(len(term)) if i not in (first, second)]
            tensor = gen.MatrixDiagPart(array_layout.transpose(tensor, rest + [first, second]))
            term = ''.join(term[i] for i in rest) + letter
    unneeded = [i for i, letter in enumerate(term) if letter not in needed]
    if unneeded:
        tensor = math_reduce.reduce_sum(tensor, axis=unneeded)
        term = ''.join(letter for letter in term if letter in needed)
    return tensor, term


def _ordered(tensor, term, output):
    if term == output:
        return tensor
    return array_layout.transpose(tensor, [term.index(letter) for letter in output])


def _product(inputs, terms, output):
    (a, a_term), (b, b_term) = (
        _reduced(inputs[0], terms[0], terms[1] + output),
        _reduced(inputs[1], terms[1], terms[0] + output))
    batch = [c for c in a_term if c in b_term and c in output]
    met = [c for c in a_term if c in b_term and c not in output]
    a_free = [c for c in a_term if c not in b_term]
    b_free = [c for c in b_term if c not in a_term]
    sizes = {**_sizes(b, b_term), **_sizes(a, a_term)}
    a = _grouped(a, a_term, (batch, a_free, met), sizes)
    b = _grouped(b, b_term, (batch, met, b_free), sizes)
    product = math_linear.matmul(a, b)
    term = batch + a_free + b_free
    whole = array_basics.reshape(product, [sizes[c] for c in term])
    return _ordered(whole, ''.join(term), output)


def _sizes(tensor, term):
    """The size of each letter: an int where it is known."""
    known = tensor.shape.as_list() if tensor.shape.rank is not None else [None] * len(term)
    if None not in known:
        return dict(zip(term, known))
    dynamic = array_basics.shape(tensor)
    return {letter: dynamic[i] if known[i] is None else known[i]
            for i, letter in enumerate(term)}


def _grouped(tensor, term, groups, sizes):
    """`tensor` with one dimension for each group of letters (none for an empty batch)."""
    moved = _ordered(tensor, term, ''.join(letter for group in groups for letter in group))
    shape = [functools.reduce(operator.mul, [sizes[letter] for letter in group], 1)
             for group in (groups if groups[0] else groups[1:])]
    return array_basics.reshape(moved, shape)
