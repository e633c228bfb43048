"""Which factor on the logits helps beyond the trained length."""
