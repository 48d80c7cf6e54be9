import ramet
import ramet.compat.v1 as tf

with tf.Graph().as_default(), tf.Session() as session:
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(tf.constant(['a', 'b']), tf.constant([1, 2])), -1)
    words = tf.placeholder(tf.string, [None], name='words')
    ids = tf.identity(table.lookup(words), name='ids')
    session.run(tf.tables_initializer())
    tf.saved_model.simple_save(session, './model', {'words': words}, {'ids': ids}, legacy_init_op=tf.tables_initializer())

