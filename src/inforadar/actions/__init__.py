"""What people ask for, one module per verb, one transaction per action: every face changes things through these."""
