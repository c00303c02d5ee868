"""Weir, a datacenter transport simulator.

weir.run           a scenario from start to end, and its result
weir.sweep         many runs at once
weir.Simulation    a run that is stepped, watched, steered, saved and copied
weir.Driver        messages that wait for each other, of your own
weir.Scenario      what is to be simulated
weir.read          a result that `weir run` has written
weir.catalogue     all that a scenario can name, with help texts
weir.Algorithm     a congestion control of your own
weir.load_plugin   one from a compiled plug-in
weir.theory        fair rates, without packets
weir.gym           environments for learning: one flow, all flows in turn, thousands of flows in batches
weir.learn         training policies, as `weir train` does
weir.policy        policies: their files, deciding by them, making them of trained networks

Units: names end in `_ps` (picoseconds), `_bytes` or `_bps` (bits per second).
"""

from . import theory
from ._algorithm import Algorithm, add_algorithm, parameter, remember
from ._catalogue import catalogue
from ._errors import InputError
from ._progress import Progress
from ._result import Result, read
from ._run import SweepRun, run, sweep
from ._simulation import Flow, Simulation
from ._table import Table
from ._traffic import Driver, NewFlow
from ._weir import Ack, Control, Desk, FlowFacts, Hop, Loss, Message, Question, Scenario, Send, load_plugin, version

__version__ = version()

__all__ = [
    "Ack",
    "Algorithm",
    "Control",
    "Desk",
    "Driver",
    "Flow",
    "FlowFacts",
    "Hop",
    "InputError",
    "Loss",
    "Message",
    "NewFlow",
    "Progress",
    "Question",
    "Result",
    "Scenario",
    "Send",
    "Simulation",
    "SweepRun",
    "Table",
    "__version__",
    "add_algorithm",
    "catalogue",
    "load_plugin",
    "parameter",
    "read",
    "remember",
    "run",
    "sweep",
    "theory",
]
