"""A finished run as files: each format by itself, and the registry that lists them."""
