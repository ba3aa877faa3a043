"""Use cases, one function each: load, call the core, save. Adapters are seen only through Protocols (``ports``)."""
