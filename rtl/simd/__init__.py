"""SIMD unit and random numbers."""
