"""`python -m spanwise` is the command `spanwise`."""

from spanwise.cli import run

if __name__ == "__main__":
    run()
