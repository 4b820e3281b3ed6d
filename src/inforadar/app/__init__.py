"""The one place where the parts are assembled: settings in, a database or a worker out."""
