import numpy as np
import pytest
import weir
from weir import theory

# One flow over two links, and one of its own on each.
CAPACITIES, PATHS = [10.0, 20.0], [[0, 1], [0], [1]]


def test_max_min():
    found = theory.max_min(CAPACITIES, PATHS)
    np.testing.assert_allclose(found.rates, [5, 5, 15])
    assert list(found.bottlenecks) == [0, 0, 1]
    np.testing.assert_allclose(found.levels, [5, 15])
    np.testing.assert_allclose(theory.loads(CAPACITIES, PATHS, found.rates), [10, 20])
    np.testing.assert_allclose(theory.max_min([9], [[0], [0]], [1, 2]).rates, [3, 6])


def test_alpha_fair():
    # Proportional fairness on two links of capacity 1: the long flow gets 1/3.
    np.testing.assert_allclose(theory.alpha_fair([1, 1], PATHS, 1), [1 / 3, 2 / 3, 2 / 3], rtol=1e-6)
    np.testing.assert_allclose(theory.alpha_fair(CAPACITIES, PATHS, float("inf")), [5, 5, 15], rtol=1e-6)


def test_additive_equilibrium():
    # R = a / (1 - 1/U), U = 2R / C: R = C/2 + a.
    np.testing.assert_allclose(theory.additive_equilibrium([10], [[0], [0]], 0.5), [5.5, 5.5])


@pytest.mark.parametrize(
    "call",
    [
        lambda: theory.max_min([0], [[0]]),
        lambda: theory.max_min([1], [[1]]),
        lambda: theory.max_min([1], [[0, 0]]),
        lambda: theory.max_min([1], [[]]),
        lambda: theory.max_min([1], [[0]], [1, 2]),
        lambda: theory.loads([1], [[0]], []),
        lambda: theory.alpha_fair([1], [[0]], 0),
    ],
)
def test_what_is_not_valid(call):
    with pytest.raises(weir.InputError):
        call()
