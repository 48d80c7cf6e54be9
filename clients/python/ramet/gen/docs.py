"""Builds docstrings and signatures of op wrappers from the registry."""

import inspect

from ramet import _core


def _type_text(dtype, type_attr, number_attr, type_list_attr, is_ref):
    text = dtype.name if dtype is not None else type_attr or f'any of {type_list_attr}'
    if number_attr:
        return f'a list of {number_attr} tensors of type {text}'
    if type_list_attr:
        return f'a list of tensors of the types {type_list_attr}'
    return f'a mutable tensor of type {text}' if is_ref else f'a tensor of type {text}'


def _parameter_line(parameter, attrs):
    name, kind, *rest = parameter
    if kind == 'input':
        return f'    {name}: {_type_text(*rest)}.'
    attr_type, has_default, default = rest
    texts = attrs.get(name, ((), ()))[1]
    allowed = f', one of {", ".join(map(repr, texts))}' if texts else ''
    after = f'. Default: {_plain(default)}' if has_default else ''
    return f'    {name}: {attr_type}{allowed}{after}.'


def _plain(value):
    return value.decode('utf-8', 'replace') if isinstance(value, bytes) else value


def docstring(function):
    """Returns the documentation of an op: its description, arguments, types and results."""
    summary = _core.op_summary(function.op_type)
    attrs = {name: (types, texts) for name, _, types, texts in summary['attrs']}
    lines = [summary['doc'], '', 'Args:']
    lines += [_parameter_line(p, attrs) for p in function._parameters]
    lines.append('    name: the name of the node.')
    limits = [
        f'    {name}: {", ".join(t.name for t in types)}'
        for name, (types, _) in attrs.items()
        if types
    ]
    if limits:
        lines += ['', 'Types:', *limits]
    lines += ['', 'Returns:']
    if not summary['outputs']:
        lines.append('    The Operation.')
    for name, *kind in summary['outputs']:
        lines.append(f'    {name}: {_type_text(*kind)}.')
    lines += [
        '',
        'Raises:',
        '    TypeError: if a value has a type that the op does not support.',
        '    ValueError: if shapes or attrs do not match.',
    ]
    return '\n'.join(lines)


def signature(function):
    """Returns the inspect.Signature of an op's wrapper."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = []
    for name, what, *rest in function._parameters:
        default = inspect.Parameter.empty
        if what == 'attr' and rest[1]:
            default = _plain(rest[2])
        parameters.append(inspect.Parameter(name, kind, default=default))
    parameters.append(inspect.Parameter('name', kind, default=None))
    return inspect.Signature(parameters)
