"""The environment variables of an installation: the only place of the product that reads the environment."""

from config.variables import registry as registry
from config.variables.checks import check as check
