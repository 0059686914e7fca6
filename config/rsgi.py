"""The RSGI entry point of a web process: the gateway and the WSGI application behind it."""

import os
import sys

from django.db import connection

from collector.errors import Conflict

from config.wsgi import application as door  # isort: skip - it sets Django up
from config.gateway import Gateway
from surveys.maintenance.schema_version import check_database

# By Django's refusals the event loop knows what would wait; whoever allowed it all would stop every request.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = ""
try:
    check_database()
except Conflict as refusal:
    sys.exit(str(refusal))
finally:
    connection.close()  # requests have threads of their own
application = Gateway(door)
