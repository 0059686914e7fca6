"""The survey editor: one page whose script edits the draft, and the addresses that the script asks."""
