"""Everything that people can ask for, one module per verb, one transaction per action. Every face uses these."""
