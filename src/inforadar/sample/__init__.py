"""The sample news world, served by the program itself, so that a newcomer sees the whole flow without network."""
