"""What a report's body is made of: prose, form text, environment, logs, code and quotes. Pure; sees no stage."""
