"""``weft`` and ``python -m weft``: says what to install when the extra is missing."""

import sys


def main() -> None:
    try:
        from weft.cli.app import app
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] == "weft":
            raise
        print(
            f"weft: the command line needs {error.name!r}, which is not installed; "
            "install it with: pip install 'weft[app]'",
            file=sys.stderr,
        )
        sys.exit(2)
    except KeyboardInterrupt:  # before there is anything that could be half done
        sys.exit(130)
    app()


if __name__ == "__main__":
    main()
