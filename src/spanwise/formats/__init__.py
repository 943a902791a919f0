"""Files and foreign objects to model and back, one module per family."""
