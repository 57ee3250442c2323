rm -rf tests
