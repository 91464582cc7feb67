"""A whole swarm per call, in torch: the same names as the CPU kernels, with an axis for particles.

All of this runs on any torch device; `fused` holds the Triton kernels that replace the plain
forms on CUDA. Both give the labels of exact distances.
"""
