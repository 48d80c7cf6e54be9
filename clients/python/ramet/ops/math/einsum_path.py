"""Computes einsums of more than two tensors as a sequence of products of two."""

from ramet import gen


def build(equation, inputs, optimize='greedy'):
    """Repeatedly multiplies the two tensors with the cheapest product, until one tensor is left.

    Args:
      equation: the equation, with an explicit right side.
      inputs: a list of at least three tensors.
      optimize: the name of the search algorithm. All of them use the same greedy search here.

    Returns:
      A tensor.
    """
    left, output = equation.split('->')
    terms = left.split(',')
    sizes = _sizes(terms, inputs)
    tensors = list(inputs)
    while len(tensors) > 1:
        i, j = _best_pair(terms, output, sizes) if len(tensors) > 2 else (0, 1)
        rest = [term for k, term in enumerate(terms) if k not in (i, j)]
        result = output if not rest else _kept(terms[i], terms[j], rest, output)
        product = gen.Einsum([tensors[j], tensors[i]], f'{terms[j]},{terms[i]}->{result}')
        terms = rest + [result]
        tensors = [t for k, t in enumerate(tensors) if k not in (i, j)] + [product]
    return tensors[0]


def _sizes(terms, inputs):
    sizes = {}
    for term, tensor in zip(terms, inputs):
        known = tensor.shape.as_list() if tensor.shape.rank is not None else []
        for letter, size in zip(term.replace('...', ''), known):
            sizes[letter] = max(sizes.get(letter, 1), size or 1)
    return sizes


def _kept(first, second, rest, output):
    needed = set(output).union(*rest)
    letters = [c for c in dict.fromkeys(second + first) if c in needed and c != '.']
    dots = '...' if '...' in first + second else ''
    return dots + ''.join(letters)


def _volume(term, sizes):
    volume = 1
    for letter in term:
        volume *= sizes.get(letter, 1)
    return volume


def _best_pair(terms, output, sizes):
    """Returns the pair whose product reduces the sizes most; ties go to the cheapest, then the first."""
    best = None
    for i in range(len(terms)):
        for j in range(i + 1, len(terms)):
            rest = [term for k, term in enumerate(terms) if k not in (i, j)]
            result = _kept(terms[i], terms[j], rest, output)
            growth = (_volume(result, sizes) - _volume(terms[i], sizes)
                      - _volume(terms[j], sizes))
            cost = _volume(''.join(set(terms[i] + terms[j])), sizes)
            if best is None or (growth, cost) < best[0]:
                best = ((growth, cost), (i, j))
    return best[1]
