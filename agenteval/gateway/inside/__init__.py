"""Programs that run inside a sandbox: the way from a port there to the gateway's socket."""
