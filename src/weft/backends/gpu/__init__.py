"""A whole swarm per call, in torch: the names of the CPU kernels, one axis (particles) more.

Everything here runs on any torch device; `fused` holds the Triton kernels that replace the plain
forms on CUDA. Both give the labels of exact distances.
"""
