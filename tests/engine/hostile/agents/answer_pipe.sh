echo fixed > app.txt
mkfifo "$AGENTEVAL_ANSWER"
