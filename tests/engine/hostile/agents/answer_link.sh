echo fixed > app.txt
ln -s "$OUTSIDE/canary.txt" "$AGENTEVAL_ANSWER"
