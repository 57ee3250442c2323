module example.org/liftcall

go 1.19
