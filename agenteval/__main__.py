"""`python -m agenteval`."""

from agenteval.cli import main

if __name__ == "__main__":
    main()
