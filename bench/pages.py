def write_pages(*a): pass
