"""Formats objects for display at a prompt and in a notebook."""

from ramet import _core
from ramet.framework import errors

_CELL = 'style="text-align:left; padding:1px 8px"'


def byte_count(count):
    """Returns a number of bytes as text, such as '1.1 MB' for 1100000, or '' for None.

    The command line uses the same format.
    """
    if count is None:
        return ''
    if count < 1000:
        return f'{count} B'
    value, unit = count / 1000, 0
    while value >= 999.95 and unit < 5:
        value, unit = value / 1000, unit + 1
    return f'{value:.1f} {"kMGTPE"[unit]}B'


def text_table(title, header, rows, most=None):
    """Returns a title followed by rows of text in aligned columns, indented by two spaces.

    Args:
      title: str.
      header: the names of the columns, or () for none.
      rows: sequences of text with one element per column.
      most: the number of rows to print; the rest are only counted. None prints all rows.
    """
    shown = rows if most is None else rows[:most]
    lines = [header, *shown] if header else list(shown)
    widths = [max(map(len, column)) for column in zip(*lines)]
    text = [title]
    text += [('  ' + '  '.join(c.ljust(w) for c, w in zip(line, widths))).rstrip()
             for line in lines]
    if len(rows) > len(shown):
        text.append(f'  ... and {len(rows) - len(shown)} more')
    return '\n'.join(text)


def html_table(title, header, rows):
    """Returns a title and rows as an HTML table for notebooks, with all text escaped."""
    def row(tag, cells):
        inner = ''.join(f'<{tag} {_CELL}>{_escaped(cell)}</{tag}>' for cell in cells)
        return f'<tr>{inner}</tr>'

    body = ''.join(row('td', cells) for cells in rows)
    return (f'<div style="max-height:480px; overflow:auto"><table>'
            f'<caption style="text-align:left">{_escaped(title)}</caption>'
            f'<thead>{row("th", header)}</thead><tbody>{body}</tbody></table></div>')


CHECKPOINT_HEADER = ('name', 'dtype', 'shape', 'size')


def checkpoint_rows(tensors):
    """Returns table rows for the tensors of a checkpoint: (name, DType, list of dimensions)."""
    return [(name, dtype.name, str(shape), byte_count(_bytes(dtype, shape)))
            for name, dtype, shape in tensors]


def checkpoint_title(path, tensors):
    """Returns '<path>: 3 tensors, 4.1 MB'. The size leaves out tensors of strings."""
    total = sum(_bytes(dtype, shape) or 0 for _, dtype, shape in tensors)
    return f'{path}: {count(len(tensors), "tensor")}, {byte_count(total)}'


def _bytes(dtype, shape):
    if dtype.name in ('string', 'resource', 'variant'):
        return None
    number = 1
    for dimension in shape:
        number *= dimension
    return number * dtype.size


def _escaped(text):
    import html

    return html.escape(text)


def count(number, noun):
    """Returns '1 tensor' or '2 tensors'."""
    return f'{number} {noun}' if number == 1 else f'{number} {noun}s'


def graph_svg(graph):
    """Returns an SVG of a graph by name scopes, as `ramet draw` draws it, or None if it is empty.

    Nodes for saving, training and initialization are left out if any other nodes remain.
    """
    for draw_all in (False, True):
        try:
            return _core.draw_svg(graph, title=repr(graph), all=draw_all)
        except errors.NotFoundError:
            continue
        except errors.InvalidArgumentError:
            return None
    return None


def graph_html(graph):
    """Returns the repr and the SVG of a graph in a scrollable frame, or None without an SVG."""
    svg = graph_svg(graph)
    if svg is None:
        return None
    return (f'<div>{_escaped(repr(graph))}</div>'
            f'<div style="max-height:640px; overflow:auto">{svg}</div>')
