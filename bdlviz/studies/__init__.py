"""What is trained or computed for the pages: under which name, from which data, with which recorder."""
