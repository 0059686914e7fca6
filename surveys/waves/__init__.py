"""A survey that comes again: its waves, and the ledger of what a person may have spent in all of them."""
