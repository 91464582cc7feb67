"""Passes over tensors (torch), a whole swarm at a time; `fused` holds those written in Triton."""
