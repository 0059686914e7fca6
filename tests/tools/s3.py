"""A server of S3's API, asked over HTTP: moto's, in a process of its own, which looks at keys and signatures."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import boto3
import urllib3
from botocore.config import Config

from config.processes import free_port

REGION = "eu-central-1"
BUCKET = "candor"
SERVER = "import sys; from moto.server import main; main(sys.argv[1:])"


@dataclass(frozen=True)
class Bucket:
    """A bucket, and what Candor is told of it."""

    endpoint: str
    key_id: str
    secret_key: str
    process: Any

    @property
    def client(self) -> Any:
        named = {"region_name": REGION, "config": Config(s3={"addressing_style": "path"})}
        keys = {"aws_access_key_id": self.key_id, "aws_secret_access_key": self.secret_key}
        return boto3.client("s3", endpoint_url=self.endpoint, **keys, **named)

    def names(self, prefix: str = "") -> list[str]:
        return sorted(one["Key"] for one in self.client.list_objects(Bucket=BUCKET, Prefix=prefix).get("Contents", []))

    def options(self, **changes: str) -> dict[str, str]:
        """The options of config.s3.PrivateBucket but for bucket and prefix."""
        reached = {"endpoint": self.endpoint, "region": REGION, "encryption": "AES256"}
        return reached | {"key_id": self.key_id, "secret_key": self.secret_key} | changes

    def storage(self, prefix: str, **changes: str) -> dict[str, Any]:
        """An entry of STORAGES."""
        place = {"bucket_name": BUCKET, "location": prefix}
        return {"BACKEND": "config.s3.PrivateBucket", "OPTIONS": place | self.options(**changes)}

    def environment(self, prefix: str) -> dict[str, str]:
        """The variables that an operator would set for backups."""
        return {
            "CANDOR_BACKUPS_STORE": f"s3://{BUCKET}/{prefix}",
            "CANDOR_STORE_ENDPOINT": self.endpoint,
            "CANDOR_STORE_REGION": REGION,
            "CANDOR_STORE_KEY_ID": self.key_id,
            "CANDOR_STORE_SECRET_KEY": self.secret_key,
        }


@contextmanager
def running_s3() -> Iterator[Bucket]:
    """A server with an empty bucket, and a user who may read and write there and nothing else."""
    port = free_port()
    # Creating the user and the bucket takes five requests; those after them need a key that it knows.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "CANDOR_"))}
    command = [sys.executable, "-c", SERVER, "-H", "127.0.0.1", "-p", str(port)]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, env=environment | {"INITIAL_NO_AUTH_ACTION_COUNT": "4"}, **silent)
    try:
        endpoint = f"http://127.0.0.1:{port}"
        wait_for(endpoint)
        yield _prepared(endpoint, process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def wait_for(endpoint: str, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            urllib3.request("GET", f"{endpoint}/moto-api/", timeout=5, retries=False)
        except urllib3.exceptions.HTTPError:
            assert time.monotonic() < until, "the S3 server does not answer"
            time.sleep(0.05)
        else:
            return


def _prepared(endpoint: str, process: Any) -> Bucket:
    anybody = {"aws_access_key_id": "x", "aws_secret_access_key": "y", "endpoint_url": endpoint, "region_name": REGION}
    boto3.client("s3", **anybody).create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    users = boto3.client("iam", **anybody)
    users.create_user(UserName="candor")
    places = [f"arn:aws:s3:::{BUCKET}", f"arn:aws:s3:::{BUCKET}/*"]
    allowed = [{"Effect": "Allow", "Action": "s3:*", "Resource": places}]
    policy = json.dumps({"Version": "2012-10-17", "Statement": allowed})
    users.put_user_policy(UserName="candor", PolicyName="candor", PolicyDocument=policy)
    key = users.create_access_key(UserName="candor")["AccessKey"]
    return Bucket(endpoint, key["AccessKeyId"], key["SecretAccessKey"], process)
