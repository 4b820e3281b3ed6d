"""What commands share: streams, output, logs, confirmation."""
