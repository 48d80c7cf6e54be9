"""Device names: parsing, formatting and merging."""

import types
import unittest

from ramet.framework import device
from ramet.framework.device import DeviceSpec


class DeviceSpecTest(unittest.TestCase):
    def test_names(self):
        for name, canonical in (
            ('/job:w/replica:0/task:1/device:CPU:0', '/job:w/replica:0/task:1/device:CPU:0'),
            ('/cpu:0', '/device:CPU:0'),
            ('gpu', '/device:GPU:*'),
            ('/device:foo:3', '/device:foo:3'),
            ('', ''),
            (None, ''),
        ):
            self.assertEqual(DeviceSpec.from_string(name).to_string(), canonical)
            self.assertEqual(device.canonical_name(name), canonical)

    def test_what_is_no_name(self):
        for name, message in (
            ('/foo:1', "Unknown attribute 'foo' is encountered"),
            ('/cpu:0/gpu:0', 'Multiple device types are not allowed'),
            ('/task:x', 'invalid literal for int'),
        ):
            with self.assertRaisesRegex(ValueError, message):
                device.check_valid(name)

    def test_parts(self):
        spec = DeviceSpec(job='w', device_type='gpu')
        spec.task = '3'
        spec.device_index = 1
        self.assertEqual((spec.task, spec.device_type), (3, 'GPU'))
        self.assertEqual(spec.replace(job=None).to_string(), '/task:3/device:GPU:1')
        spec.merge_from(DeviceSpec.from_string('/job:b/cpu:0'))
        self.assertEqual(spec.to_string(), '/job:b/task:3/device:CPU:0')

    def test_equality(self):
        self.assertEqual(DeviceSpec.from_string('/cpu:0'), DeviceSpec.from_string('/device:CPU:0'))
        self.assertNotEqual(DeviceSpec('a'), '/job:a')
        self.assertEqual(len({DeviceSpec('a'), DeviceSpec('a')}), 1)

    def test_merge_device(self):
        function = device.merge_device('/job:a/task:3')
        op = types.SimpleNamespace(device='/task:1')
        self.assertEqual(function(op).to_string(), '/job:a/task:1')
        self.assertEqual(function.shortcut_string_merge(op), '/job:a/task:1')
        self.assertTrue(device.merge_device(None).is_null_merge)
        self.assertIs(device.merge_device(function), function)


if __name__ == '__main__':
    unittest.main()
