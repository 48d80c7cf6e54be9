"""What objects look like at a prompt and in a notebook."""

_CELL = 'style="text-align:left; padding:1px 8px"'


def byte_count(count):
    """1100000 -> '1.1 MB', as the command line writes it; None -> ''."""
    if count is None:
        return ''
    if count < 1000:
        return f'{count} B'
    value, unit = count / 1000, 0
    while value >= 999.95 and unit < 5:
        value, unit = value / 1000, unit + 1
    return f'{value:.1f} {"kMGTPE"[unit]}B'


def text_table(title, header, rows, most=None):
    """A title and rows of text in columns, the first indented by two.

    Args:
        title: str.
        header: the names of the columns, or () for none.
        rows: sequences of text, one for each column.
        most: the number of rows after which the rest is only counted.
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
    """The same as a table for notebooks; everything is escaped."""
    def row(tag, cells):
        inner = ''.join(f'<{tag} {_CELL}>{_escaped(cell)}</{tag}>' for cell in cells)
        return f'<tr>{inner}</tr>'

    body = ''.join(row('td', cells) for cells in rows)
    return (f'<div style="max-height:480px; overflow:auto"><table>'
            f'<caption style="text-align:left">{_escaped(title)}</caption>'
            f'<thead>{row("th", header)}</thead><tbody>{body}</tbody></table></div>')


CHECKPOINT_HEADER = ('name', 'dtype', 'shape', 'size')


def checkpoint_rows(tensors):
    """Rows for the tensors of a checkpoint, given as (name, DType, list of dimensions)."""
    return [(name, dtype.name, str(shape), byte_count(_bytes(dtype, shape)))
            for name, dtype, shape in tensors]


def checkpoint_title(path, tensors):
    """'<path>: 3 tensors, 4.1 MB'; texts are not counted."""
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
    """'1 tensor', '2 tensors'."""
    return f'{number} {noun}' if number == 1 else f'{number} {noun}s'


def graph_svg(graph):
    """A picture of a graph by name scopes, as `ramet draw` draws it; None if there is nothing.

    Saving, training and initialisation are left out while there is anything else.
    """
    from ramet import _core
    from ramet.framework import errors

    for draw_all in (False, True):
        try:
            return _core.draw_svg(graph, title=repr(graph), all=draw_all)
        except errors.NotFoundError:
            continue
        except errors.InvalidArgumentError:
            return None
    return None


def graph_html(graph):
    """The picture in a frame that scrolls, below what repr says; None where there is no picture."""
    svg = graph_svg(graph)
    if svg is None:
        return None
    return (f'<div>{_escaped(repr(graph))}</div>'
            f'<div style="max-height:640px; overflow:auto">{svg}</div>')
