"""Formats of chunk evaluation: published data sets and exports of RAG tools."""
