"""`python -m ramet script.py [args]` runs a program and answers its `import tensorflow`."""

from ramet.runner import program

program.main()
