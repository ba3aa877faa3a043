"""The only code that touches files, the network, databases and engines outside Python."""
