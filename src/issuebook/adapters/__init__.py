"""The only code that touches files, databases, charts, the network and the clock."""
