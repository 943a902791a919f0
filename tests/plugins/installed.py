"""Packages that announce plug-ins, installed in folders of their own, offline."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import spanwise

SOURCE = Path(spanwise.__file__).parent.parent
EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin"


def wheel(project: Path, folder: Path) -> Path:
    """The wheel that a build of a project makes, without a build backend."""
    stated = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    stem = f"{stated['name'].replace('-', '_')}-{stated['version']}"
    info = f"{stem}.dist-info"
    groups = stated["entry-points"]
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{name} = {module}" for name, module in entries.items()))
    ]
    file = folder / f"{stem}-py3-none-any.whl"
    with ZipFile(file, "w") as archive:
        for path in sorted((project / "src").rglob("*.py")):
            archive.write(path, path.relative_to(project / "src").as_posix())
        named = f"Metadata-Version: 2.1\nName: {stated['name']}\nVersion: {stated['version']}\n"
        archive.writestr(f"{info}/METADATA", named)
        tagged = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr(f"{info}/WHEEL", tagged)
        archive.writestr(f"{info}/entry_points.txt", "\n".join(lines) + "\n")
        archive.writestr(f"{info}/RECORD", "")
    return file


def install(project: Path, folder: Path) -> Path:
    """Install a project with pip; return the folder that belongs on the path."""
    target = folder / "site"
    folder.mkdir(exist_ok=True)
    words = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run(
        [sys.executable, *words, str(wheel(project, folder))],
        check=True,
        env=os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        timeout=120,
    )
    return target


def write_package(folder: Path, name: str, code: str) -> Path:
    """A package of one module, as if it had been installed."""
    module = name.replace("-", "_")
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.py").write_text(code)
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[spanwise.plugins]\nall = {module}\n")
    return folder


def beside(*folders: Path) -> dict[str, str]:
    """An environment in which these folders are on the path, after spanwise."""
    return {"PYTHONPATH": os.pathsep.join([str(SOURCE), *map(str, folders)])}
