# One image for every process of Candor; compose.yaml says which runs what.
FROM python:3.11.13-slim-bookworm

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 CANDOR_DATA=/data
WORKDIR /candor

COPY requirements.lock .
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.lock

COPY manage.py ./
COPY collector collector
COPY config config
COPY estimator estimator
COPY locale locale
COPY randomized_response randomized_response
COPY surveys surveys
COPY templates templates

# A user that owns nothing but the data; the code is root's, for all to read whatever modes it was copied with.
# Compiled once, here: nothing can be written when it runs, and each process would compile all of it anew.
RUN python -m compileall -q . && chmod -R a+rX,go-w . && useradd --system --uid 10001 --home-dir /nonexistent candor && install -d -o candor -g candor -m 0700 /data
USER candor
VOLUME /data
EXPOSE 8000
CMD ["python", "-m", "granian", "--help"]
