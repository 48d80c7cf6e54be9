"""Timelines of runs for chrome://tracing, from the step stats of RunMetadata messages."""

import collections
import json
import re

AllocationMaximum = collections.namedtuple('AllocationMaximum', ('timestamp', 'num_bytes', 'tensors'))
StepStatsAnalysis = collections.namedtuple('StepStatsAnalysis', ('chrome_trace', 'allocator_maximums'))


class _ChromeTrace:
    """Collects the events of a trace."""

    def __init__(self):
        self._names = []
        self._events = []

    def name_process(self, name, pid):
        self._names.append({'name': 'process_name', 'ph': 'M', 'pid': pid, 'args': {'name': name}})

    def add(self, phase, category, name, place, time, **more):
        """Adds an event at a place, which is (process, thread)."""
        pid, tid = place
        self._events.append({'ph': phase, 'cat': category, 'name': name, 'pid': pid, 'tid': tid, 'ts': time, **more})

    def format_to_string(self, pretty=False):
        """Returns the events as JSON.

        Args:
          pretty: bool, whether to indent the text.
        """
        layout = {'indent': 4, 'separators': (',', ': ')} if pretty else {'separators': (',', ':')}
        return json.dumps({'traceEvents': self._names + self._events}, **layout)


class _Output:
    """One output of a step: where and when it was made, its size, and when it was last used."""

    def __init__(self, number, name, place, tensors_pid, start, end, description):
        self.number = number
        self.name = name
        self.place = place
        self.tensors_pid = tensors_pid
        self.start = start
        self.end = end
        self.last_use = end
        self.description = description

    @property
    def allocation(self):
        return self.description.allocation_description


def _label(stats):
    """Returns (op, names of the inputs) from a label such as 'node = Op(input, input)'."""
    match = re.match(r'(.*) = (.*)\((.*)\)', stats.timeline_label)
    if match is None:
        return 'unknown', []
    return match.group(2), match.group(3).split(', ') if match.group(3) else []


def _end(stats):
    return stats.all_start_micros + stats.all_end_rel_micros


class Timeline:
    """Turns the step stats of one run into a trace.

    Args:
      step_stats: a StepStats message, `run_metadata.step_stats`.
      graph: ignored.
    """

    def __init__(self, step_stats, graph=None):
        self._devices = list(step_stats.dev_stats)
        self._trace = _ChromeTrace()
        self._outputs = {}
        self._places = {}
        self._tensor_pids = {}
        self._flows = 0
        self._maximums = {}

    def generate_chrome_trace_format(self, show_dataflow=True, show_memory=False, op_time='schedule'):
        """Returns the trace as JSON.

        Args:
          show_dataflow: bool, whether to show which steps use the outputs of which.
          show_memory: bool, whether to show outputs and their sizes.
          op_time: ignored: it selects between times of GPUs.
        """
        return self.analyze_step_stats(show_dataflow, show_memory, op_time).chrome_trace.format_to_string(pretty=True)

    def analyze_step_stats(self, show_dataflow=True, show_memory=True, op_time='schedule'):
        """Returns a StepStatsAnalysis: the trace, and the largest use of memory by each allocator.

        Args:
          show_dataflow: bool, whether to show which steps use the outputs of which.
          show_memory: bool, whether to show outputs and their sizes.
          op_time: ignored: it selects between times of GPUs.
        """
        self._trace.name_process('Allocators', 0)
        for i, device in enumerate(self._devices):
            self._tensor_pids[device.device] = 2 * i + 2
            self._trace.name_process(device.device + ' Compute', 2 * i + 1)
            self._trace.name_process(device.device + ' Tensors', 2 * i + 2)
            self._assign_lanes(device, 2 * i + 1)
        for device in self._devices:
            for stats in device.node_stats:
                self._add_outputs(device, stats, show_memory)
        for device in self._devices:
            for stats in device.node_stats:
                self._add_step(device, stats, show_dataflow)
        if show_memory:
            self._add_memory()
        return StepStatsAnalysis(self._trace, self._maximums)

    def _assign_lanes(self, device, pid):
        """Puts each step into the first lane (a thread of the trace) that is free when it starts."""
        lanes = [0]
        for stats in device.node_stats:
            lane = next((i for i, free in enumerate(lanes) if stats.all_start_micros > free), len(lanes))
            lanes[lane:lane + 1] = [_end(stats)]
            self._places[device.device, stats.node_name, stats.all_start_micros] = pid, lane

    def _place(self, device, stats):
        return self._places[device.device, stats.node_name, stats.all_start_micros]

    def _add_outputs(self, device, stats, show_memory):
        place, pid = self._place(device, stats), self._tensor_pids[device.device]
        for index, value in enumerate(stats.output):
            name = f'{stats.node_name}:{index}' if index else stats.node_name
            output = _Output(len(self._outputs), name, place, pid, stats.all_start_micros, _end(stats),
                             value.tensor_description)
            self._outputs[name] = output
            if show_memory:
                there = pid, place[1]
                self._trace.add('N', 'Tensor', name, there, output.start, id=output.number)
                text = str(value.tensor_description).replace('"', '')
                self._trace.add('O', 'Tensor', name, there, output.end - 1, id=output.number,
                                args={'snapshot': {'tensor_description': text}})

    def _add_step(self, device, stats, show_dataflow):
        place, start = self._place(device, stats), stats.all_start_micros
        op, inputs = ('RecvTensor', []) if stats.node_name == 'RecvTensor' else _label(stats)
        args = {'name': stats.node_name, 'op': op, **{f'input{i}': name for i, name in enumerate(inputs)}}
        self._trace.add('X', 'Op', op, place, start, dur=stats.all_end_rel_micros, args=args)
        for name in inputs:
            # A copy between devices has the name of the tensor, '/_' and a number.
            output = self._outputs.get(name) or self._outputs.get(name.rpartition('/_')[0])
            if output is None:
                continue
            output.last_use = max(output.last_use, _end(stats) - 1)
            if show_dataflow and output.place != place:
                self._trace.add('s', 'DataFlow', output.name, output.place, output.end, id=self._flows)
                self._trace.add('t', 'DataFlow', output.name, place, start, id=self._flows)
                self._flows += 1

    def _add_memory(self):
        changes = collections.defaultdict(list)
        for output in self._outputs.values():
            self._trace.add('D', 'Tensor', output.name, (output.tensors_pid, 0), output.last_use, id=output.number)
            size = output.allocation.requested_bytes
            of_allocator = changes[output.allocation.allocator_name]
            of_allocator.append((output.start, size, output.name))
            of_allocator.append((output.last_use, -size, output.name))
        for allocator, list_of_changes in changes.items():
            self._add_changes(allocator, sorted(list_of_changes))

    def _add_changes(self, allocator, changes):
        total, alive, most = 0, set(), AllocationMaximum(0, 0, set())
        for time, size, name in changes:
            total += size
            alive = alive - {name} if size < 0 else alive | {name}
            if total > most.num_bytes:
                most = AllocationMaximum(time, total, alive)
            self._trace.add('C', 'Memory', allocator, (0, 0), time, args={allocator: total})
        self._maximums[allocator] = most
