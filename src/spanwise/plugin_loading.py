"""Registries of measures, formats, engines and chunkers, and the plug-ins that add to them.

A plug-in is a module of another package, announced under the entry-point group
`spanwise.plugins`. Finding entry points takes about 25 ms. They are therefore looked up only when
a registry needs more than our own entries: when a name is unknown, when a registry is listed, or
when no format of ours recognises a file. This is the only place that loads plug-ins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from threading import RLock
from typing import Any, Generic, TypeVar

from spanwise.errors import SpanwiseError, SpanwiseWarning, UsageError

GROUP = "spanwise.plugins"
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
"""A function or class that a decorator registers and returns unchanged."""

_REGISTRIES: list[Registry[Any]] = []
_LOCK = RLock()
_PACKAGES: dict[str, str] = {}
"""The plug-in modules that were loaded, each with the name of its package."""
_begun = False


def load() -> bool:
    """Import the plug-ins of all installed packages, once; return whether there were any now.

    A plug-in that cannot be imported is a warning that names its package. What it registered
    before it failed is withdrawn, so that nothing depends on half of a plug-in.
    """
    global _begun
    with _LOCK:
        if _begun:
            return False
        _begun = True
        from importlib.metadata import entry_points

        found = {(_package(entry), entry.module) for entry in entry_points(group=GROUP)}
        for package, module in sorted(found):
            _import(package, module)
        return bool(found)


def _package(entry: Any) -> str:
    return entry.module.partition(".")[0] if entry.dist is None else str(entry.dist.name)


def _import(package: str, module: str) -> None:
    from importlib import import_module

    before = [(registry, set(registry.registered)) for registry in _REGISTRIES]
    try:
        import_module(module)
    except (Exception, SystemExit) as error:
        from warnings import warn

        for registry, names in before:
            registry.withdraw(module, names)
        reason = str(error) if isinstance(error, SpanwiseError) else _in_one_line(error)
        warn(
            f"plug-in {package}: module {module} was not loaded: {reason};"
            f" update or uninstall {package}",
            SpanwiseWarning,
            stacklevel=2,
        )
        return
    _PACKAGES[module] = package


def _in_one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


def home_of(thing: Any) -> str:
    """Return the module in which a function or class was defined."""
    return str(getattr(getattr(thing, "func", thing), "__module__", None) or "an unknown module")


def is_ours(home: str) -> bool:
    """Return whether a module belongs to this package."""
    return home == "spanwise" or home.startswith("spanwise.")


def culprit(error: BaseException) -> str:
    """Return what caused an unexpected error: spanwise, or the plug-in in which it was raised."""
    homes = {
        home for registry in _REGISTRIES for home in registry.homes.values() if not is_ours(home)
    }
    trace, found = error.__traceback__, ""
    while trace is not None:
        name = str(trace.tb_frame.f_globals.get("__name__", ""))
        found = name if name in homes else found
        trace = trace.tb_next
    if not found:
        return "spanwise"
    return f"the plug-in {_PACKAGES[found]} ({found})" if found in _PACKAGES else f"module {found}"


class Registry(Mapping[str, T], Generic[T]):
    """Everything of one kind by name: our own entries first, then those of plug-ins.

    Looking up a name loads plug-ins only if the name is not registered yet; listing always loads
    them. `registered` and `homes`, the modules that registered, show what is there without loading
    anything; entries of ours are put there directly, because there are many at start-up.

    `load_ours` imports those modules of ours that register lazily.
    """

    def __init__(self, kind: str, load_ours: Callable[[], object] = lambda: None) -> None:
        self.kind = kind
        self._load_ours = load_ours
        self.registered: dict[str, T] = {}
        self.homes: dict[str, str] = {}
        self.changes = 0  # number of entries of plug-ins added or withdrawn
        _REGISTRIES.append(self)

    def enter(self, name: str, entry: T, home: str, aliases: Iterable[str] = ()) -> None:
        """Register an entry; one of the same name from the same module is replaced."""
        if not is_ours(home):
            self._load_ours()  # ours come first, whichever is imported first
        if not name or name != name.strip():
            raise UsageError(f"{self.kind} {name!r} of {home}: expected a name without blanks")
        spellings = dict.fromkeys((name, *aliases))
        for spelling in spellings:
            owner = self._owner(spelling)
            if owner is not None and (owner != name or self.homes[owner] != home):
                raise UsageError(
                    f"{self.kind} {spelling!r} of {home} already exists in {self.homes[owner]};"
                    " choose another name"
                )
        self.registered[name] = entry
        self.homes[name] = home
        self.changes += 1

    def _owner(self, spelling: str) -> str | None:
        """Return the name of the entry that has a name or an alias."""
        if spelling in self.registered:
            return spelling
        entries = self.registered.items()
        return next((n for n, one in entries if spelling in getattr(one, "aliases", ())), None)

    def of(self, *, ours: bool) -> list[T]:
        """Return the entries registered so far, ours or those of plug-ins, the last ones first."""
        names = reversed(list(self.registered))
        return [self.registered[name] for name in names if is_ours(self.homes[name]) == ours]

    def withdraw(self, module: str, kept: set[str]) -> None:
        """Remove the entries of a module and its package, but for some names."""
        package = module.partition(".")[0]
        for name, home in list(self.homes.items()):
            if home.partition(".")[0] == package and name not in kept:
                del self.registered[name], self.homes[name]
                self.changes += 1

    def arrange(self, modules: Sequence[str]) -> None:
        """Sort the entries by their modules; others stay behind in their order."""
        places = {module: place for place, module in enumerate(modules)}
        by_module = [(places.get(self.homes[n], len(places)), n) for n in self.registered]
        order = [name for _, name in sorted(by_module, key=itemgetter(0))]
        self.registered = {name: self.registered[name] for name in order}

    def __getitem__(self, name: str) -> T:
        for step in (lambda: None, self._load_ours, load):
            step()
            if name in self.registered:
                return self.registered[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        try:
            self[name]  # type: ignore[index]
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        self._load_ours()
        load()
        return iter(list(self.registered))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return f"<registry: {self.kind}, {len(self.registered)} registered>"
