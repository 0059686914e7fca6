"""Opening surveys, and what opens and closes them by itself."""
