"""Opening surveys, and scheduled opening and closing."""
