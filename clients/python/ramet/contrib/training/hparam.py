"""HParams, a set of named hyperparameters that can be read from text."""

import json
import numbers
import re

from ramet.api import export

_ITEM = re.compile(r"""
  (?P<name>[a-zA-Z][\w\.]*)          # the name
  (\[\s*(?P<index>\d+)\s*\])?        # the index of an element
  \s*=\s*
  ((?P<value>[^,\[]*)|\[(?P<values>[^\]]*)\])
  ($|,\s*)""", re.VERBOSE)


def _failure(name, kind, value, full):
    return ValueError(f"Could not parse hparam '{name}' of type '{kind.__name__}' with value '{value}' in {full}")


def _reuse_failure(name, full):
    return ValueError(f"Multiple assignments to variable '{name}' in {full}")


def _parsed(name, kind, text, full):
    if kind is bool:
        if text in ('true', 'True', '1', 'false', 'False', '0'):
            return text in ('true', 'True', '1')
        raise _failure(name, kind, text, full)
    try:
        return kind(text)
    except (TypeError, ValueError):
        raise _failure(name, kind, text, full) from None


@export('contrib.training.parse_values')
def parse_values(values, type_map, ignore_unknown=False):
    """Parses assignments such as 'rate=0.1,sizes=[1,2],sizes[1]=3'.

    Args:
      values: str.
      type_map: a dict from names to types of values (of elements for lists).
      ignore_unknown: whether to skip names that type_map lacks.

    Returns:
      A dict from names to values, lists, or dicts from indices to values.

    Raises:
      ValueError: if the text is malformed, a name is unknown or assigned twice, or a value has the wrong type.
    """
    found, at = {}, 0
    while at < len(values):
        item = _ITEM.match(values, at)
        if not item:
            raise ValueError(f'Malformed hyperparameter value: {values[at:]}')
        at = item.end()
        name = item['name']
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        _assign(found, item, type_map[name], values)
    return found


def _assign(found, item, kind, full):
    name, index, value = item['name'], item['index'], item['value']
    if value is not None and index is not None:
        elements = found.setdefault(name, {})
        if not isinstance(elements, dict) or int(index) in elements:
            raise _reuse_failure(f'{name}[{index}]', full)
        elements[int(index)] = _parsed(name, kind, value, full)
        return
    if index is not None:
        raise _failure(name, kind, item['values'], full)
    if name in found:
        raise _reuse_failure(name, full)
    if value is not None:
        found[name] = _parsed(name, kind, value, full)
    else:
        found[name] = [_parsed(name, kind, v, full) for v in re.split('[ ,]', item['values']) if v]


def _cast(name, kind, value):
    """Returns a value as the type of a hyperparameter. Raises a ValueError if that would lose something."""
    failure = ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
    if value is None:
        return value
    if kind is str and not isinstance(value, str) or kind is not str and isinstance(value, (str, bytes)):
        raise failure
    if isinstance(value, bool) != (kind is bool) and (kind is bool or isinstance(value, bool)):
        raise failure
    if issubclass(kind, numbers.Integral) and kind is not bool and not isinstance(value, numbers.Integral):
        raise failure
    if issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number):
        raise failure
    return kind(value)


@export('contrib.training.HParams')
class HParams:
    """A set of named hyperparameters, each an attribute. Their types are those of the first values."""

    _HAS_DYNAMIC_ATTRIBUTES = True

    def __init__(self, hparam_def=None, model_structure=None, **kwargs):
        """Creates the set.

        Args:
          hparam_def: must be None; Ramet has no HParamDef.
          model_structure: an object with the model's structure, or None.
          **kwargs: the hyperparameters. A list has elements of one type.

        Raises:
          ValueError: if a name is reserved, or a list is empty.
        """
        self._hparam_types = {}
        self._model_structure = model_structure
        if hparam_def is not None:
            raise ValueError('hparam_def: Ramet has no message HParamDef; pass the hyperparameters by name')
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name, value):
        """Adds a hyperparameter.

        Args:
          name: str.
          value: a value, or a list of values.

        Raises:
          ValueError: if the name is reserved or known, or a list is empty.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f'Hyperparameter name is reserved: {name}')
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(f'Multi-valued hyperparameters cannot be empty: {name}')
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name, value):
        """Changes a hyperparameter.

        Args:
          name: str.
          value: a value of its type, or a list of these.

        Raises:
          KeyError: if there is no such hyperparameter.
          ValueError: if the value has the wrong type.
        """
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list):
            if not is_list:
                raise ValueError(f'Must not pass a list for single-valued parameter: {name}')
            setattr(self, name, [_cast(name, kind, v) for v in value])
        else:
            if is_list:
                raise ValueError(f'Must pass a list for multi-valued parameter: {name}.')
            setattr(self, name, _cast(name, kind, value))

    def del_hparam(self, name):
        """Removes a hyperparameter, if there is one.

        Args:
          name: str.
        """
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values):
        """Changes hyperparameters as a text says, such as 'rate=0.1,sizes=[1,2]'.

        Args:
          values: str.

        Returns:
          This set.

        Raises:
          ValueError: if the text is malformed, a name is unknown, or a value has the wrong type.
        """
        return self.override_from_dict(parse_values(values, {n: t for n, (t, _) in self._hparam_types.items()}))

    def override_from_dict(self, values_dict):
        """Changes hyperparameters.

        Args:
          values_dict: a dict from names to values, or to dicts from indices to elements.

        Returns:
          This set.

        Raises:
          KeyError: if a name is unknown.
          ValueError: if a value has the wrong type.
        """
        for name, value in values_dict.items():
            if isinstance(value, dict):
                elements = list(getattr(self, name))
                for index, element in value.items():
                    elements[index] = element
                value = elements
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map):
        """Changes hyperparameters; the older name of override_from_dict.

        Args:
          values_map: a dict from names to values.
        """
        return self.override_from_dict(values_map)

    def set_model_structure(self, model_structure):
        """Sets the object with the model's structure.

        Args:
          model_structure: any object.
        """
        self._model_structure = model_structure

    def get_model_structure(self):
        """Returns the object with the model's structure."""
        return self._model_structure

    def to_json(self, indent=None, separators=None, sort_keys=False):
        """Returns the hyperparameters as JSON. Functions are left out.

        Args:
          indent: as for json.dumps.
          separators: as for json.dumps.
          sort_keys: as for json.dumps.
        """
        values = {name: value for name, value in self.values().items() if not callable(value)}
        return json.dumps(values, indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json):
        """Changes hyperparameters as JSON says.

        Args:
          values_json: str, an object with names and values.

        Returns:
          This set.

        Raises:
          KeyError: if a name is unknown.
          ValueError: if a value has the wrong type.
        """
        return self.override_from_dict(json.loads(values_json))

    def values(self):
        """Returns the hyperparameters as a dict."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key, default=None):
        """Returns a hyperparameter, or a default.

        Args:
          key: str, the name.
          default: the value if there is none. It must have the type of the hyperparameter.

        Raises:
          ValueError: if default has a different type.
        """
        if key not in self._hparam_types:
            return default
        kind, is_list = self._hparam_types[key]
        if default is not None:
            given = default if is_list and isinstance(default, (list, tuple)) else [default]
            if is_list != isinstance(default, (list, tuple)):
                raise ValueError(f'default value of {key} must {"" if is_list else "not "}be a list: {default}')
            for value in given:
                _cast(key, kind, value)
        return getattr(self, key)

    def __contains__(self, key):
        return key in self._hparam_types

    def __str__(self):
        return str(sorted(self.values().items()))

    def __repr__(self):
        return f'{type(self).__name__}({self})'
