"""The papers' methods: objectives, starts and polish behind the public classes."""
