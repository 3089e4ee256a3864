"""Prints the lines of an event stream as they come."""

import sys
import urllib.request

for line in urllib.request.urlopen(sys.argv[1]):
    print(line.decode().rstrip(), flush=True)
