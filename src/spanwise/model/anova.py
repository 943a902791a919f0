"""What a two-way analysis of variance says about runs and topics."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Anova:
    """Sums of squares, degrees of freedom, F and p of runs and of topics, and what is left."""

    squares_runs: float
    squares_topics: float
    squares_left: float
    freedom_runs: int
    freedom_topics: int
    freedom_left: int
    f_runs: float
    p_runs: float
    f_topics: float
    p_topics: float

    @property
    def error(self) -> float:
        """The variance that neither runs nor topics explain."""
        return self.squares_left / self.freedom_left if self.freedom_left else float("nan")

    @property
    def omega_squared(self) -> float:
        """The share of variance that runs explain, in the population of topics (partial)."""
        gain = self.freedom_runs * (self.f_runs - 1)
        cells = (self.freedom_runs + 1) * (self.freedom_topics + 1)
        return gain / (gain + cells)

    def words(self) -> str:
        """As a paper reports it.

        >>> print(Anova(2.0, 3.0, 1.0, 2, 3, 6, 6.0, 0.037, 6.0, 0.031).words())
        runs F(2, 6) = 6.00, p = 0.0370, omega squared 0.45; topics F(3, 6) = 6.00, p = 0.0310
        """
        parts = (
            ("runs", self.freedom_runs, self.f_runs, self.p_runs),
            ("topics", self.freedom_topics, self.f_topics, self.p_topics),
        )
        runs, topics = (
            f"{name} F({free}, {self.freedom_left}) = {f:.2f}, p"
            + (" < 0.0001" if p < 0.0001 else f" = {p:.4f}")
            for name, free, f, p in parts
        )
        return f"{runs}, omega squared {self.omega_squared:.2f}; {topics}"
