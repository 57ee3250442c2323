import sys

from descant.cli import main

sys.exit(main())
