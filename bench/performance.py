"""``python -m bench.performance``: all speed rows, and the page made from them."""

from bench.speed.performance import main

if __name__ == "__main__":
    raise SystemExit(main())
