"""The assessor's page: a store of gestures, a server on loopback, a page in the browser."""
