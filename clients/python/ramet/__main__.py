"""`python -m ramet script.py [args]` runs a program, whose `import tensorflow` then imports Ramet."""

from ramet.runner import program

program.main()
