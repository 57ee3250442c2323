from fieldtapes.cli import main

raise SystemExit(main())
