import sys

from deckle.cli import main

sys.exit(main())
