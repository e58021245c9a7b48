"""Many games at once: their arrays, their compiled steps, and the threads that share them."""
