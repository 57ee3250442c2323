echo fixed > app.txt
git init -q keep
git -C keep config core.fsmonitor "$OUTSIDE/run.sh"
echo work > keep/new.txt
git -C keep add -A
git -C keep -c user.name=a -c user.email=a commit -q -m x
git init -q --bare bare.git
