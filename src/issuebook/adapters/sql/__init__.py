"""The study's database. Ratings are appended events; what holds at present is a fold over them."""
