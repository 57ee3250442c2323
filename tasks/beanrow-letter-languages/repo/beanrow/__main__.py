from beanrow.cli import main

raise SystemExit(main())
