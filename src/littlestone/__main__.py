"""`python -m littlestone` is the command line."""

from littlestone.cli import main

if __name__ == "__main__":
    main()
