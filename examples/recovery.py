"""How well does PLSI find a distribution again? Fifty texts drawn from a known one.

    python examples/recovery.py recovery.svg

Two topics are known: how probable each of ten words is in them. Fifty texts are drawn, each with
its own share of the two topics, and the model is asked for the topics that it sees. The picture
shows what was true, and what was found. It is the experiment of a survey of 2007, made again.
"""

import sys
from pathlib import Path

import numpy as np

from spanwise.retrieve.models.latent import counts_of, fitted

TEXTS, WORDS, LENGTH = 50, 10, 200
TRUE = np.array([[9, 8, 7, 6, 5, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 5, 6, 7, 8, 9]]) / 40


def drawn(seed=7):
    """Fifty texts as counts of words, and the share of topics in each."""
    random = np.random.default_rng(seed)
    shares = random.dirichlet([0.3, 0.3], TEXTS)
    return random.multinomial(LENGTH, shares @ TRUE).astype(float), shares


def recovered(seed=7, beta=1.0):
    """The topics that were found, in the order of the true ones, and how far they are from them.

    The distance is half the sum of differences: 0 if the same, 1 if nothing is in common.
    """
    table, _ = drawn(seed)
    words = fitted(counts_of(table), 2, rounds=300, beta=beta).words
    if np.abs(words - TRUE).sum() > np.abs(words[::-1] - TRUE).sum():
        words = words[::-1]
    return words, np.abs(words - TRUE).sum(axis=1) / 2


def picture(words):
    """True probabilities as bars, found ones as dots, as SVG."""
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="640" height="320" font-size="12">']
    for topic, (true, found) in enumerate(zip(TRUE, words, strict=True)):
        left = 30 + 310 * topic
        parts.append(f'<text x="{left}" y="20">topic {topic + 1}</text>')
        for word, (bar, dot) in enumerate(zip(true, found, strict=True)):
            x, high, y = left + 28 * word, 1000 * bar, 290 - 1000 * dot
            parts.append(
                f'<rect x="{x}" y="{290 - high:.1f}" width="20" height="{high:.1f}" fill="#bcd"/>'
                f'<circle cx="{x + 10}" cy="{y:.1f}" r="4" fill="#b30"/>'
                f'<text x="{x + 4}" y="306">w{word}</text>'
            )
    return "".join(parts) + "</svg>\n"


if __name__ == "__main__":
    found, distance = recovered()
    Path(sys.argv[1] if len(sys.argv) > 1 else "recovery.svg").write_text(picture(found))
    print("distance of topics:", *(f"{value:.3f}" for value in distance))
