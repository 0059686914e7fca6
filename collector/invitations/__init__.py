"""Single-use codes and blindly signed tokens: batches, and redemption with a report."""
