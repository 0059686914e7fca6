"""Single-use codes and blindly signed tokens: batches, and using one up with a report."""
