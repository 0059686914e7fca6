"""Reports: storing, folding into totals, reading, purging and rewriting."""
