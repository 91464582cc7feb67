"""The methods of the papers: objectives, starts and final refinement of the public classes."""
