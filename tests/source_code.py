"""Our own source, as the tests of the architecture look at it."""

import ast
from pathlib import Path

import spanwise

ROOT = Path(spanwise.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))


def dotted(file: Path) -> str:
    """A file's name as a module."""
    parts = ("spanwise", *file.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {dotted(file) for file in MODULES}


def package(module: str) -> str:
    """The package below `spanwise` that a module is in; the public API is one of its own."""
    return module.split(".")[1] if "." in module else "public API"


def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def imports(tree: ast.AST) -> set[str]:
    """Our modules that are imported anywhere: at the top, in functions, or for types only."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inside & NAMES or {node.module}
    return {name for name in found if name.split(".")[0] == "spanwise"}
