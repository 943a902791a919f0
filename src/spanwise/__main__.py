"""`python -m spanwise` is the command `spanwise`."""

from spanwise.app.cli import run

if __name__ == "__main__":
    run()
