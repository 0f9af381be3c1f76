"""The command `recorder`."""

__all__ = ["main"]


def main() -> None:
    """Run the command line; an interruption while it is still being imported has the same end as a later one."""
    try:
        from recorder.cli._app import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
