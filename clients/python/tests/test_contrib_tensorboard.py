"""tf.contrib.tensorboard.plugins.projector: the settings are a file that TensorBoard reads."""

import os
import tempfile
import unittest

import ramet.compat.v1 as tf
from ramet.compat.v1.contrib.tensorboard.plugins import projector


class ProjectorTest(unittest.TestCase):

    def test_settings(self):
        config = projector.ProjectorConfig()
        embedding = config.embeddings.add()
        embedding.tensor_name = 'words'
        embedding.metadata_path = 'words.tsv'
        embedding.sprite.image_path = 'sprite.png'
        embedding.sprite.single_image_dim.extend([28, 28])
        self.assertIs(projector.ProjectorConfig, tf.contrib.tensorboard.plugins.projector.ProjectorConfig)
        with tempfile.TemporaryDirectory() as folder:
            writer = tf.summary.FileWriter(folder)
            projector.visualize_embeddings(writer, config)
            writer.close()
            with open(os.path.join(folder, 'projector_config.pbtxt'), encoding='utf-8') as file:
                text = file.read()
        self.assertEqual(
            'embeddings {\n  tensor_name: "words"\n  metadata_path: "words.tsv"\n  sprite {\n'
            '    image_path: "sprite.png"\n    single_image_dim: 28\n    single_image_dim: 28\n  }\n}\n', text)
        self.assertEqual(b'\x12\x24\x0a\x05words\x12\x09words.tsv\x2a\x10\x0a\x0asprite.png\x12\x02\x1c\x1c',
                         config.SerializeToString())
        self.assertEqual(config, projector.ProjectorConfig.FromString(config.SerializeToString()))


if __name__ == '__main__':
    unittest.main()
