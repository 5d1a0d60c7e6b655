"""Two answers compared in both orders: only a win that survives the swap counts."""
