"""Players that read ahead: by the solver, by playouts, by a critic."""
