"""The shell: ties stages, engine and store together into collecting, canonicalizing and analyzing."""
