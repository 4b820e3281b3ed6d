"""Hosts: when each may be asked again, and what its robots.txt says."""
