"""The one place where the parts are put together: settings in, a database or a worker out."""
