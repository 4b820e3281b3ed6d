"""Starting, diagnosing and maintaining the program."""
