"""Special functions and einsum."""

import re

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.ops.math import einsum_path, math_reduce


@export('lbeta', 'math.lbeta')
def lbeta(x, name=None):
    """Returns log |Beta(x)| along the last dimension.

    Args:
      x: a tensor of floating-point numbers of rank at least 1.
      name: the name of the scope.

    Returns:
      A tensor with one dimension fewer.
    """
    with ops.name_scope(name, 'lbeta', [x]):
        x = ops.convert_to_tensor(x, name='x')
        product = math_reduce.reduce_sum(gen.Lgamma(x), axis=[-1])
        total = gen.Lgamma(math_reduce.reduce_sum(x, axis=[-1]))
        return product - total


def _named(build, default_name, x, name):
    with ops.name_scope(name, default_name, [x]):
        return build(x)


@export('math.bessel_i0', 'math.special.bessel_i0')
def bessel_i0(x, name=None):
    """Returns the modified Bessel function of the first kind of order 0.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.BesselI0, 'bessel_i0', x, name)


@export('math.bessel_i0e', 'math.special.bessel_i0e')
def bessel_i0e(x, name=None):
    """Returns exp(-|x|) I0(x).

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.BesselI0e, 'bessel_i0e', x, name)


@export('math.bessel_i1', 'math.special.bessel_i1')
def bessel_i1(x, name=None):
    """Returns the modified Bessel function of the first kind of order 1.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.BesselI1, 'bessel_i1', x, name)


@export('math.bessel_i1e', 'math.special.bessel_i1e')
def bessel_i1e(x, name=None):
    """Returns exp(-|x|) I1(x).

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.BesselI1e, 'bessel_i1e', x, name)


@export('math.special.bessel_k0')
def bessel_k0(x, name=None):
    """Returns the modified Bessel function of the second kind of order 0.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.BesselK0, 'bessel_k0', x, name)


@export('math.special.bessel_k0e')
def bessel_k0e(x, name=None):
    """Returns exp(x) K0(x).

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.BesselK0e, 'bessel_k0e', x, name)


@export('math.special.bessel_k1')
def bessel_k1(x, name=None):
    """Returns the modified Bessel function of the second kind of order 1.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.BesselK1, 'bessel_k1', x, name)


@export('math.special.bessel_k1e')
def bessel_k1e(x, name=None):
    """Returns exp(x) K1(x).

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.BesselK1e, 'bessel_k1e', x, name)


@export('math.special.bessel_j0')
def bessel_j0(x, name=None):
    """Returns the Bessel function of the first kind of order 0.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.BesselJ0, 'bessel_j0', x, name)


@export('math.special.bessel_j1')
def bessel_j1(x, name=None):
    """Returns the Bessel function of the first kind of order 1.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.BesselJ1, 'bessel_j1', x, name)


@export('math.special.bessel_y0')
def bessel_y0(x, name=None):
    """Returns the Bessel function of the second kind of order 0.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.BesselY0, 'bessel_y0', x, name)


@export('math.special.bessel_y1')
def bessel_y1(x, name=None):
    """Returns the Bessel function of the second kind of order 1.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.BesselY1, 'bessel_y1', x, name)


@export('math.special.dawsn')
def dawsn(x, name=None):
    """Returns Dawson's integral.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.Dawsn, 'dawsn', x, name)


@export('math.special.expint')
def expint(x, name=None):
    """Returns the exponential integral.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.Expint, 'expint', x, name)


@export('math.special.fresnel_cos')
def fresnel_cos(x, name=None):
    """Returns Fresnel's cosine integral.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.FresnelCos, 'fresnel_cos', x, name)


@export('math.special.fresnel_sin')
def fresnel_sin(x, name=None):
    """Returns Fresnel's sine integral.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.FresnelSin, 'fresnel_sin', x, name)


@export('math.special.spence')
def spence(x, name=None):
    """Returns Spence's integral.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    return _named(gen.Spence, 'spence', x, name)


@export('einsum', 'linalg.einsum')
def einsum(equation, *inputs, **kwargs):
    """Sums products of elements over named dimensions.

    Args:
      equation: such as 'ij,jk->ik': a letter per dimension of each input, then those of the result.
        Without a right side, the result has all letters that occur once, sorted. '...' stands for
        all other dimensions.
      *inputs: tensors of the same dtype.
      **kwargs: `name`, the name of the scope; `optimize`, the strategy for the order of the products.

    Returns:
      A tensor.

    Raises:
      TypeError: if there are other keywords.
      ValueError: if the equation is malformed or does not match the inputs.
    """
    name = kwargs.pop('name', None)
    optimize = kwargs.pop('optimize', 'greedy')
    if kwargs:
        raise TypeError('Invalid keyword arguments for einsum: '
                        f'{", ".join(kwargs)}. Valid arguments: name, optimize, greedy.')
    with ops.name_scope(name, 'einsum', [equation, inputs]):
        inputs = [ops.convert_to_tensor(tensor) for tensor in inputs]
        shapes = [tensor.shape for tensor in inputs]
        resolved = resolve_equation(equation, shapes)
        if len(inputs) <= 2:
            return gen.Einsum(inputs, resolved)
        return einsum_path.build(resolved, inputs, optimize)


def resolve_equation(equation, shapes):
    """Returns the equation with an explicit right side.

    Raises:
      ValueError: if it is malformed or does not match the shapes.
    """
    text = equation.replace(' ', '')
    parts = _parts(equation, text)
    labels = parts[0].split(',')
    if len(shapes) != len(labels):
        raise ValueError(f'Got {len(shapes)} inputs for equation "{equation}", expecting '
                         f'{len(labels)}')
    if parts[1] is None:
        seen = ''.join(labels).replace('.', '')
        once = sorted(letter for letter in set(seen) if seen.count(letter) == 1)
        dots = '...' if any('...' in label for label in labels) else ''
        output = dots + ''.join(once)
    else:
        output = parts[1]
        known = set(''.join(labels))
        for letter in output:
            if letter != '.' and letter not in known:
                raise ValueError(f'Output subscripts contain the label {letter} not present in '
                                 'the input subscripts.')
            if letter != '.' and output.count(letter) > 1:
                raise ValueError(f'Output subscripts contain a repeated label: {letter}.')
    return ','.join(labels) + '->' + output


_LABELS = r'([a-zA-Z]*(?:\.\.\.)?[a-zA-Z]*)'
_EQUATION = re.compile(f'^{_LABELS}(,{_LABELS})*(->{_LABELS})?$')


def _parts(equation, text):
    if not _EQUATION.match(text):
        raise ValueError(f'Indices have incorrect format. Received: {equation}.')
    left, arrow, right = text.partition('->')
    return left, right if arrow else None
