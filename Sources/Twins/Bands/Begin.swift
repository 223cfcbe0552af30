// Begins.
