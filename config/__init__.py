import os

# Before anything can be written: every process and command passes here, and what each starts inherits it. A file that
# somebody else may read has its mode set where it is made.
os.umask(0o077)

# Before numpy is imported. On busy processors the eigenvalues of a small matrix take a hundred times as long by two
# threads as by one, and sums by several threads depend on their number: a result could not be repeated bit for bit on
# another machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
