"""Articles of the collection case: XML of the size and shape of encyclopedia pages."""

from pathlib import Path

import numpy as np

SEED = 20062
WORDS = 30_000
MEAN_SECTIONS = 4
MEAN_PARAGRAPHS = 3
MEAN_WORDS = 60
LETTERS = "etaoinshrdlucmfwypvbgkqjxz"
ACCENTED = "éüßñ漢"


def vocabulary(rng: np.random.Generator) -> np.ndarray:
    """Return random words; a few have letters outside ASCII or need an entity."""
    chances = 1 / np.arange(2, len(LETTERS) + 2)
    letters = rng.choice(list(LETTERS), (WORDS, 12), p=chances / chances.sum())
    lengths = rng.integers(2, 13, WORDS)
    words = ["".join(row[:length]) for row, length in zip(letters, lengths, strict=True)]
    for number in range(0, WORDS, 150):
        words[number] += ACCENTED[number // 150 % len(ACCENTED)]
    for number in range(7, WORDS, 500):
        words[number] += "&amp;"
    return np.array(words)


def paragraph(rng: np.random.Generator, words: np.ndarray) -> str:
    """Return a paragraph of words, some of them emphasised or linked."""
    count = 5 + rng.poisson(MEAN_WORDS)
    chosen = words[(WORDS * rng.random(count) ** 3).astype(int)].tolist()
    for place in rng.integers(0, count, 2).tolist():
        chosen[place] = f'<link target="{place}.xml">{chosen[place]}</link>'
    chosen[0] = f"<emph>{chosen[0]}</emph>"
    return f"<p>{' '.join(chosen)}.</p>\n"


def article(number: int, words: np.ndarray) -> str:
    """Return the XML of one article."""
    rng = np.random.default_rng([SEED, 1, number])
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>\n',
        f'<article id="{number}">\n<name>{words[rng.integers(WORDS)]} {number}</name>\n<body>\n',
    ]
    for section in range(1 + rng.poisson(MEAN_SECTIONS)):
        parts.append(f"<section>\n<title>Part {section}</title>\n")
        parts += [paragraph(rng, words) for _ in range(1 + rng.poisson(MEAN_PARAGRAPHS))]
        parts.append("</section>\n")
    parts.append("</body>\n</article>\n")
    return "".join(parts)


def write_articles(count: int, folder: Path) -> None:
    """Write `count` articles, a thousand to a folder."""
    words = vocabulary(np.random.default_rng([SEED, 0]))
    for number in range(count):
        place = folder / f"part-{number // 1000:04}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.xml").write_text(article(number, words), encoding="utf-8")
