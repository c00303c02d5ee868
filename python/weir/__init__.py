"""Weir, a datacenter transport simulator.

weir.Scenario    what is to be simulated
weir.gym         environments for learning: one flow, all flows in turn, thousands of flows in batches
weir.policy      files of trained policies
"""

from ._errors import InputError
from ._weir import Scenario, __version__

__all__ = ["InputError", "Scenario", "__version__"]
