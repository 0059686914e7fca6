"""The web server's application with another deadline for bodies, $BODY_DEADLINE in seconds: no test waits for ten."""

import os

from config import rsgi  # sets Django up

from config import gateway  # isort: skip

gateway.DEADLINE = float(os.environ["BODY_DEADLINE"])
application = rsgi.application
