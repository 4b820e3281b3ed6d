"""Prefect flows, an optional extra (`inforadar[prefect]`): the same functions as elsewhere, run by Prefect.

Nothing else imports this package, because Prefect takes seconds to import and a quarter of a gigabyte to install.
"""
