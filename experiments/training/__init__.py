"""What training makes of the starting scale of the attention logits."""
