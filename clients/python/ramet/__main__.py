"""`python -m ramet script.py [args]`: runs a program with its `import tensorflow` answered."""

from ramet.runner import program

program.main()
