"""The WSGI application of a web process: the report endpoint, and Django behind it."""

from django.core.wsgi import get_wsgi_application

from config.startup import load_settings

load_settings()
django = get_wsgi_application()

# Only now: they need the settings.
from collector.database import write_ahead_log  # noqa: E402
from collector.endpoint.application import ReportEndpoint  # noqa: E402
from collector.endpoint.writers import Writers  # noqa: E402
from collector.reports.storing import node_of, store  # noqa: E402
from config.middleware import headers_without_django  # noqa: E402
from surveys.lifecycle.proof_of_work import bits_of  # noqa: E402

write_ahead_log.limit_size()
writer = Writers(store, node_of)
application = ReportEndpoint(django, writer=writer, headers=headers_without_django, bits=bits_of)
