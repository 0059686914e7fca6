"""A client of the API: needs urllib3, and CANDOR_URL and CANDOR_TOKEN in the environment."""

import os
from typing import Any

import urllib3


def ask(method: str, path: str, body: Any = None) -> Any:
    """What the API answers: JSON as values, a file as bytes. Raises ValueError with the words of a refusal."""
    headers = {"Authorization": f"Bearer {os.environ['CANDOR_TOKEN']}"}
    address = f"{os.environ['CANDOR_URL']}/api/v1/{path}"
    answer = urllib3.request(method, address, json=body, headers=headers, timeout=60)
    if answer.status >= 400:
        raise ValueError(answer.json()["detail"])
    return answer.json() if "json" in answer.headers.get("Content-Type", "") else answer.data
