"""The own-coin page: answering without a script, with a coin or a die of one's own."""
