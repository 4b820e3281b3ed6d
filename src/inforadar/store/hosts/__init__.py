"""Hosts: when each may be asked again, and its robots.txt."""
