"""The load generator of `make load`: many simulated visitors over WebSockets, on this machine only."""
