"""The judge's room: standard library, theorems, and plain twins of the learners."""
