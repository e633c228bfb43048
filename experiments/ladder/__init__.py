"""What a sharp start costs, from width to width."""
