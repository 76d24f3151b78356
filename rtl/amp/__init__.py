"""The matrix unit (AMP): weights that stay, rows of input that stream through, sums in f32."""
