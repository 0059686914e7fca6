import os

# Before anything can be written: every process and command passes here, and what each starts inherits it. A file that
# somebody else may read has its mode set where it is made.
os.umask(0o077)
