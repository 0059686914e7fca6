"""deploy/kubernetes says what compose.yaml says, and Kubernetes' own schema takes it. Nothing is started here."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from django.test import Client

from config.processes import IN_FLIGHT
from config.variables.registry import VARIABLES
from tests.tools.kustomize import Document, rendered, variables

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "kubernetes"
SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
DOCUMENTS = rendered(FOLDER / "example")
OLDEST, NEWEST = "1.30", "1.37"
PROCESSES = ("web", "worker", "folding", "beat", "prepare")
SERVERS = ("database", "broker")
WORKLOADS = {"Deployment", "StatefulSet", "Job", "CronJob"}
SMALLER = {"panel", "CANDOR_PANEL"}
"""A service and its variable, which Kubernetes does without: its web pods have the full image."""
PORTS = {"web": 8000, "database": 5432, "broker": 6379}


def of_kind(*kinds: str) -> dict[str, Document]:
    return {one["metadata"]["name"]: one for one in DOCUMENTS if one["kind"] in kinds}


def pod_of(workload: Document) -> Document:
    spec = workload["spec"]
    found: Document = (spec["jobTemplate"]["spec"] if "jobTemplate" in spec else spec)["template"]
    return found


PODS = {name: pod_of(workload) for name, workload in of_kind(*WORKLOADS).items()}


def containers() -> Iterator[tuple[str, Document]]:
    for name, pod in PODS.items():
        for one in (*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]):
            yield name, one


def container_of(name: str) -> Document:
    (found,) = PODS[name]["spec"]["containers"]
    return found  # type: ignore[no-any-return]


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_manifests_match_schema_of_kubernetes(version: str) -> None:
    for document in DOCUMENTS:
        kubernetes_validate.validate(document, version, strict=True)
    assert len(DOCUMENTS) == len({(one["kind"], one["metadata"]["name"]) for one in DOCUMENTS}) > 20


def test_schema_refuses_misspelt_key() -> None:
    wrong = {**DOCUMENTS[0], "metdata": {}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, NEWEST, strict=True)


def test_manifests_have_each_service_of_compose() -> None:
    assert set(PODS) == {*SERVICES, "backup"} - SMALLER
    assert set(SERVICES) - SMALLER == {*PROCESSES, *SERVERS}


@pytest.mark.parametrize("name", PROCESSES)
def test_manifest_commands_match_compose(name: str) -> None:
    assert container_of(name)["command"] == SERVICES[name]["command"]


@pytest.mark.parametrize("name", SERVERS)
def test_manifest_servers_match_compose(name: str) -> None:
    assert container_of(name)["args"] == SERVICES[name]["command"]
    assert container_of(name)["image"] == SERVICES[name]["image"]


def test_manifest_images_are_replaced_everywhere() -> None:
    """Of the image built from the Dockerfile there is one name, which the example gives."""
    images = {one["image"] for name, one in containers() if name not in SERVERS}
    (given,) = yaml.safe_load((FOLDER / "example" / "kustomization.yaml").read_text())["images"]
    assert images == {f"{given['newName']}:{given['newTag']}"}


def test_manifest_variables_match_compose() -> None:
    """Those with a default in compose.yaml are set; those passed on there as they are stand behind a # here."""
    plain, secret = FOLDER / "candor" / "candor.env", FOLDER / "example" / "secret.example.env"
    named = re.findall(r"^#?([A-Z][A-Z_]+)=", plain.read_text() + secret.read_text(), re.MULTILINE)
    for name in PROCESSES:
        assert sorted(named) == sorted({*SERVICES[name]["environment"], "POSTGRES_PASSWORD"} - SMALLER)
    given = {key for key, value in SERVICES["web"]["environment"].items() if value is not None} - SMALLER
    assert set(variables(plain)) | set(variables(secret)) == given | {"POSTGRES_PASSWORD", "CANDOR_BACKUPS_STORE"}
    for name, value in re.findall(r"^#?([A-Z][A-Z_]+)=(.+)", plain.read_text(), re.MULTILINE):
        VARIABLES[name].parse(value)


def test_manifest_secrets_are_not_in_the_config_map() -> None:
    secret = set(re.findall(r"^#?([A-Z_]+)=", (FOLDER / "example" / "secret.example.env").read_text(), re.MULTILINE))
    passed_on = set(SERVICES["web"]["environment"])
    assert {name for name, one in VARIABLES.items() if one.secret} & passed_on <= secret
    assert {"DATABASE_URL", "EMAIL_HOST_PASSWORD", "CANDOR_METRICS_TOKEN", "POSTGRES_PASSWORD"} <= secret
    assert not secret & set(of_kind("ConfigMap")["candor"]["data"])
    assert not of_kind("Secret"), "none is in the repository"


def test_manifest_processes_read_all_variables() -> None:
    for name, one in containers():
        if name not in SERVERS:
            assert one["envFrom"] == [{"configMapRef": {"name": "candor"}}, {"secretRef": {"name": "candor"}}]


def test_manifest_database_variables_match_compose() -> None:
    given = {one["name"]: one.get("value") for one in container_of("database")["env"]}
    there = SERVICES["database"]["environment"]
    assert set(given) == {*there, "PGDATA"}
    for name in ("POSTGRES_USER", "POSTGRES_DB", "POSTGRES_INITDB_ARGS"):
        assert given[name] == there[name]


def test_manifest_containers_have_no_rights() -> None:
    for _, one in containers():
        assert one["securityContext"] == {
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        }


def test_manifest_pods_run_as_the_user_of_the_image() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    (user,) = re.findall(r"useradd .*--uid (\d+)", dockerfile)
    for name, pod in PODS.items():
        context, number = pod["spec"]["securityContext"], 999 if name in SERVERS else int(user)
        assert (context["runAsNonRoot"], context["runAsUser"], context["fsGroup"]) == (True, number, number)
        assert context["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["spec"]["automountServiceAccountToken"] is False


def test_manifest_containers_have_bounded_memory() -> None:
    for _, one in containers():
        assert set(one["resources"]["requests"]) == {"cpu", "memory"}
        assert "memory" in one["resources"]["limits"]
    for pod in PODS.values():
        in_memory = [one["emptyDir"] for one in pod["spec"]["volumes"] if "emptyDir" in one]
        assert in_memory
        assert all(one["medium"] == "Memory" and one["sizeLimit"] for one in in_memory)


def test_manifest_data_folder_is_inside_the_shared_volume() -> None:
    """A volume's own folder belongs to root; Candor refuses one that is not its user's."""
    folder = Path(of_kind("ConfigMap")["candor"]["data"]["CANDOR_DATA"])
    for name, one in containers():
        if name not in SERVERS:
            mounted = {mount["name"]: Path(mount["mountPath"]) for mount in one["volumeMounts"]}
            assert folder.parent == mounted["files"]
            assert mounted["temporary"] == Path("/tmp")
    assert of_kind("PersistentVolumeClaim")["files"]["spec"]["accessModes"] == ["ReadWriteMany"]


@pytest.mark.django_db
def test_manifest_web_probes_are_answered() -> None:
    """With the Host that they send; /readyz would take web processes away where a worker is."""
    probed = container_of("web")
    (service_path,) = re.findall(r"http://127\.0\.0\.1:8000(/\w+)", str(SERVICES["web"]["healthcheck"]["test"]))
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        asked = probed[probe]["httpGet"]
        (host,) = asked["httpHeaders"]
        assert (asked["path"], host["name"]) == (service_path, "Host")
        assert Client().get(asked["path"], headers={"Host": host["value"]}).status_code == 200
    assert Client().get(service_path, headers={"Host": "10.1.2.3"}).status_code == 400, "as a pod's address would be"


@pytest.mark.parametrize("name", ["worker", "folding"])
def test_manifest_worker_probes_match_compose(name: str) -> None:
    _, command = SERVICES[name]["healthcheck"]["test"]
    probed = container_of(name)
    assert probed["readinessProbe"]["exec"]["command"] == ["sh", "-c", command.replace("$$", "$")]
    assert "livenessProbe" not in probed, "a long fold or an absent broker is no reason to kill it"


@pytest.mark.parametrize("name", SERVERS)
def test_manifest_server_probes_match_compose(name: str) -> None:
    for probe in ("startupProbe", "readinessProbe"):
        assert container_of(name)[probe]["exec"]["command"] == SERVICES[name]["healthcheck"]["test"][1:]


def test_manifest_ports_match_compose() -> None:
    assert SERVICES["web"]["ports"] == [f"127.0.0.1:{PORTS['web']}:{PORTS['web']}"]
    for name, port in PORTS.items():
        assert [one["containerPort"] for one in container_of(name)["ports"]] == [port]
        assert [one["port"] for one in of_kind("Service")[name]["spec"]["ports"]] == [port]
    (rule,) = of_kind("Ingress")["candor"]["spec"]["rules"]
    (path,) = rule["http"]["paths"]
    assert path["backend"]["service"] == {"name": "web", "port": {"name": "http"}}
    assert f"https://{rule['host']}" == of_kind("ConfigMap")["candor"]["data"]["CANDOR_URL"]


def test_manifest_replicas_and_budgets_keep_one_up() -> None:
    deployments = of_kind("Deployment")
    assert deployments["worker"]["spec"]["replicas"] == SERVICES["worker"]["deploy"]["replicas"]
    for name, budget in of_kind("PodDisruptionBudget").items():
        assert deployments[name]["spec"]["replicas"] >= 2 > budget["spec"]["maxUnavailable"]
        assert budget["spec"]["selector"] == deployments[name]["spec"]["selector"]
    assert set(of_kind("PodDisruptionBudget")) == {"web", "worker"}
    assert (deployments["beat"]["spec"]["replicas"], deployments["beat"]["spec"]["strategy"]["type"]) == (1, "Recreate")


def test_manifest_web_ends_requests_before_it_is_killed() -> None:
    spec = PODS["web"]["spec"]
    (_, pause) = container_of("web")["lifecycle"]["preStop"]["exec"]["command"]
    assert int(pause) + IN_FLIGHT < spec["terminationGracePeriodSeconds"]


def test_manifest_labels_select_their_pods() -> None:
    labels = {name: pod["metadata"]["labels"] for name, pod in PODS.items()}
    for one in DOCUMENTS:
        selector = one["spec"].get("selector") if "spec" in one else None
        name = one["metadata"]["name"]
        if one["kind"] in {"Deployment", "StatefulSet", "PodDisruptionBudget"}:
            selector = selector["matchLabels"]
        elif one["kind"] == "NetworkPolicy":
            selector = one["spec"]["podSelector"]["matchLabels"]
        if selector:
            chosen = {pod for pod, there in labels.items() if selector.items() <= there.items()}
            assert chosen == (set(PODS) - set(SERVERS) if name == "candor" else {name})


def test_manifest_processes_wait_for_migrations() -> None:
    for name in ("web", "worker", "folding", "beat"):
        (wait,) = PODS[name]["spec"]["initContainers"]
        assert wait["command"] == ["python", "manage.py", "migrate", "--check"]
    first = {one["metadata"]["name"] for one in DOCUMENTS if "candor-step" in one["metadata"].get("labels", {})}
    needed = {*SERVERS, "candor", "files", "prepare"}
    assert first == needed, "what the job needs is applied before all else"
    job = of_kind("Job")["prepare"]["spec"]
    assert (job["parallelism"], job["completions"]) == (1, 1)


def test_manifest_backups_do_not_overlap() -> None:
    """The job stores one as a worker would, and a worker takes one up that it has left."""
    assert container_of("backup")["command"] == ["python", "manage.py", "backup"]
    assert of_kind("CronJob")["backup"]["spec"]["concurrencyPolicy"] == "Forbid"
    config = of_kind("ConfigMap")["candor"]["data"]
    assert "CANDOR_BACKUP_EVERY" not in config
    for name in ("backup", "worker"):
        mounted = {mount["name"]: Path(mount["mountPath"]) for mount in container_of(name)["volumeMounts"]}
        assert Path(config["CANDOR_BACKUPS_STORE"]).parent == mounted["backups"]


def test_manifest_network_lets_in_only_what_is_named() -> None:
    policies = of_kind("NetworkPolicy")
    assert set(policies["candor"]["spec"]["policyTypes"]) == {"Ingress", "Egress"}
    assert "ingress" not in policies["candor"]["spec"]
    for name in SERVERS:
        (rule,) = policies[name]["spec"]["ingress"]
        assert rule["ports"] == [{"port": PORTS[name], "protocol": "TCP"}]
        assert rule["from"] == [{"podSelector": {"matchLabels": {"app.kubernetes.io/name": "candor"}}}]
        assert "egress" not in policies[name]["spec"]
