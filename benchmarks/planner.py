"""How long the planner takes to answer: the API as the page's slider asks it, without the network.

    python -m benchmarks.planner

The slider stands somewhere else in every request, so that no answer was computed before. Nothing is asserted.
"""

import argparse
import os
import statistics
import tempfile
import time

MOVES = 60
QUESTIONS = {
    "yes/no": {"kind": "yes_no"},
    "one choice of 10, k-ary": {"kind": "one_choice", "choices": "10"},
    "one choice of 50, subset selection": {"kind": "one_choice", "choices": "50", "mechanism": "subset"},
    "several choices, 6 options": {"kind": "several_choices", "choices": "6"},
    "scale of 5": {"kind": "scale"},
    "number, 41 points, one bit": {"kind": "number", "maximum": "40"},
    "number, 41 points, Laplace": {"kind": "number", "maximum": "40", "mechanism": "discrete_laplace"},
}


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory(prefix="candor-bench-") as folder:
        os.environ["CANDOR_DATA"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        measure()


def measure() -> None:
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(User.objects.create_user("bench", is_staff=True), "django.contrib.auth.backends.ModelBackend")
    print(f"{'':<38}{'slider':>10}{'99 %':>10}{'respondents':>13}{'first':>10}   median, ms")
    for name, question in QUESTIONS.items():
        waits = [answer(client, question | {"truth": f"0.{place:03}", "epsilon": f"{place / 300:.4f}"})
                 for place in range(120, 120 + 8 * MOVES, 8)]  # fmt: skip
        others = [answer(client, question | {"respondents": str(1000 + place)}) for place in range(MOVES)]
        rest = sorted(waits[1:])
        print(
            f"{name:<38}{statistics.median(rest):>10.1f}{rest[int(0.99 * len(rest))]:>10.1f}"
            f"{statistics.median(others[1:]):>13.1f}{waits[0]:>10.1f}"
        )


def answer(client: object, query: dict[str, str]) -> float:
    """Milliseconds of one request."""
    start = time.perf_counter()
    response = client.get("/api/v1/plan/", query)  # type: ignore[attr-defined]
    assert response.status_code == 200, response.content
    return 1000 * (time.perf_counter() - start)


if __name__ == "__main__":
    main()
