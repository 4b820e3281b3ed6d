"""What the tests share: servers, a scriptable site, readers of documents."""
