# Three images of Candor: `lean` for beat and the worker that only folds, `web` for the web server, `full` (the default) for the
# others. compose.yaml says which process runs in which, and how; docs/how-to/containers.md says what each is without, and its size.

# `make release` makes the same folders of packages, code and pages, byte for byte: docs/how-to/release.md.
FROM python:3.11.13-slim-bookworm AS lean-packages
WORKDIR /candor
COPY bin/image-packages bin/image-packages
COPY requirements-lean.lock ./
RUN python bin/image-packages lean /packages

FROM python:3.11.13-slim-bookworm AS web-packages
WORKDIR /candor
COPY bin/image-packages bin/image-packages
COPY requirements-web.lock ./
RUN python bin/image-packages web /packages

FROM python:3.11.13-slim-bookworm AS full-packages
WORKDIR /candor
COPY bin/image-packages bin/image-packages
COPY requirements.lock ./
RUN python bin/image-packages full /packages

# The help pages, as files: what builds them stays here.
FROM python:3.11.13-slim-bookworm AS help
ARG SOURCE_DATE_EPOCH
WORKDIR /candor
COPY requirements-docs.lock ./
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements-docs.lock
COPY bin/build-help bin/build-help
COPY CHANGELOG.md ./
COPY compose.yaml ./
COPY deploy deploy
COPY docs docs
COPY mkdocs.yml ./
COPY surveys surveys
RUN python bin/build-help

FROM python:3.11.13-slim-bookworm AS code
LABEL org.opencontainers.image.title="Candor" org.opencontainers.image.version="0.1.0" org.opencontainers.image.licenses="MIT"
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PYTHONPATH=/packages CANDOR_DATA=/data
WORKDIR /candor

COPY manage.py ./
COPY collector collector
COPY config config
COPY estimator estimator
COPY locale locale
COPY randomized_response randomized_response
COPY surveys surveys
COPY templates templates

# A user that owns nothing but the data; the code is root's, for all to read whatever modes it was copied with.
RUN python -m compileall -q --invalidation-mode unchecked-hash . && chmod -R a+rX,go-w . && useradd --system --uid 10001 --home-dir /nonexistent candor && install -d -o candor -g candor -m 0700 /data
USER candor
VOLUME /data

FROM code AS lean
COPY --from=lean-packages /packages /packages
CMD ["python", "-m", "celery", "-A", "config", "--help"]

FROM code AS web
COPY --from=web-packages /packages /packages
COPY --from=help /candor/build/help build/help
EXPOSE 8000
CMD ["python", "-m", "granian", "--help"]

FROM code AS full
COPY --from=full-packages /packages /packages
COPY --from=help /candor/build/help build/help
EXPOSE 8000
CMD ["python", "-m", "granian", "--help"]
