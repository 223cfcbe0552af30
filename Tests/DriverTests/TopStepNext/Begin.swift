// Begins with the family.
