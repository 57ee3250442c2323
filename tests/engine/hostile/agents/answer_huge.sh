echo fixed > app.txt
truncate -s 1G "$AGENTEVAL_ANSWER"
