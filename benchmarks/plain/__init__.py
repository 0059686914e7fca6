"""What the door is measured against: an empty Django view, and a DRF view that stores as most projects would."""
