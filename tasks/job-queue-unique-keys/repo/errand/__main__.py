import sys

from errand.cli import main

sys.exit(main())
