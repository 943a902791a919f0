"""Test how well PLSI recovers a known distribution from fifty texts drawn from it.

    python examples/recovery.py recovery.svg

The probabilities of ten words in two topics are known. Fifty texts are drawn, each a different
mixture of the two topics, and the model is fitted to them. The picture compares the true with the
fitted probabilities. The experiment repeats one of a survey of 2007.
"""

import sys
from pathlib import Path

import numpy as np

from spanwise.retrieve.models.latent import counts_of, fitted

TEXTS, WORDS, LENGTH = 50, 10, 200
TRUE = np.array([[9, 8, 7, 6, 5, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 5, 6, 7, 8, 9]]) / 40


def drawn(seed=7):
    """Return the word counts of fifty random texts and the topic mixture of each."""
    random = np.random.default_rng(seed)
    shares = random.dirichlet([0.3, 0.3], TEXTS)
    return random.multinomial(LENGTH, shares @ TRUE).astype(float), shares


def recovered(seed=7, beta=1.0):
    """Return the fitted topics, in the order of the true ones, and their distances from these.

    The distance is half the sum of absolute differences: 0 if two topics are equal, 1 if they
    have no word in common.
    """
    table, _ = drawn(seed)
    words = fitted(counts_of(table), 2, rounds=300, beta=beta).words
    if np.abs(words - TRUE).sum() > np.abs(words[::-1] - TRUE).sum():
        words = words[::-1]
    return words, np.abs(words - TRUE).sum(axis=1) / 2


def picture(words):
    """Return an SVG picture with true probabilities as bars and fitted ones as dots."""
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
