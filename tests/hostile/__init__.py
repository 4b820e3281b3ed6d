"""Documents that try to hold or bloat the process: real, and so slow that the quick part leaves them out."""
