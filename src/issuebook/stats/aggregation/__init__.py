"""From several ratings of a unit to one code: majority vote, and models that weigh annotators by their errors."""
