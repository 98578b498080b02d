"""The load generator behind `make load`: many visitors at once, over WebSocket, on this machine only."""
