# Three images of Candor: `lean` for beat and the worker that only folds, `web` for the web server, `full` (the default) for the
# others. compose.yaml says which process runs in which, and how; docs/how-to/containers.md says what each is without, and its size.

FROM python:3.11.13-slim-bookworm AS lean-packages
COPY requirements-lean.lock .
# Without the packages' own tests and what only translators and compilers read. Compiled once, here: nothing can be written
# when it runs, and each process would compile all of it anew.
RUN pip install --no-cache-dir --disable-pip-version-check --no-compile --require-hashes --target /packages -r requirements-lean.lock \
    && rm -rf /packages/numpy/tests /packages/numpy/*/tests \
    && find /packages \( -name "*.po" -o -name "*.pyi" \) -delete \
    && python -m compileall -q /packages

FROM python:3.11.13-slim-bookworm AS web-packages
COPY requirements-web.lock .
# Of Amazon's services, S3 and the one that signs in to it.
RUN pip install --no-cache-dir --disable-pip-version-check --no-compile --require-hashes --target /packages -r requirements-web.lock \
    && rm -rf /packages/numpy/tests /packages/numpy/*/tests \
    && find /packages/botocore/data -mindepth 1 -maxdepth 1 -type d ! -name s3 ! -name sts -exec rm -rf {} + \
    && find /packages \( -name "*.po" -o -name "*.pyi" \) -delete \
    && python -m compileall -q /packages

FROM python:3.11.13-slim-bookworm AS full-packages
COPY requirements.lock .
RUN pip install --no-cache-dir --disable-pip-version-check --no-compile --require-hashes --target /packages -r requirements.lock \
    && find /packages/numpy /packages/scipy /packages/pandas /packages/pyarrow -type d -name tests -prune -exec rm -rf {} + \
    && find /packages \( -name "*.po" -o -name "*.pyi" \) -delete \
    && python -m compileall -q /packages

# The help pages, as files: what builds them stays here.
FROM python:3.11.13-slim-bookworm AS help
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
RUN python -m compileall -q . && chmod -R a+rX,go-w . && useradd --system --uid 10001 --home-dir /nonexistent candor && install -d -o candor -g candor -m 0700 /data
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
