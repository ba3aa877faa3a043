"""The report as one HTML file: typed contexts of its sections, and the templates that show them."""
