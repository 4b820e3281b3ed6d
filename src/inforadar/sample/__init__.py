"""The sample news world, served by the program itself: the whole flow can be seen without network."""
