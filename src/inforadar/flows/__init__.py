"""Prefect flows, an extra (`inforadar[prefect]`): the same functions as everywhere, orchestrated by another program.

Nothing else imports this package, because Prefect takes seconds to import and a quarter of a gigabyte to install.
"""
