"""The estimate report besides its numbers: its languages, what it discloses and cites, and its two shapes."""
