"""One clean frame of issue reports: who is who, what is there twice, what was read, and samples of it."""
