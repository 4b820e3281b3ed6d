"""The shell: what ties stages, engine and store into collecting, canonicalizing and analyzing."""
