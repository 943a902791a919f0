"""The flow from a request to scores."""
