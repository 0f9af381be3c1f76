"""`python -m recorder`."""

from recorder.cli import main

main()
