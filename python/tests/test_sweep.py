import algorithms
import pytest
import weir


def test_a_sweep_has_the_results_of_its_runs(star):
    star["network"] = {"ecn": {"enabled": True}}
    axes = {"algorithm.name": ["hpcc", "dctcp"], "run.seed": range(2)}
    runs = weir.sweep(star, axes, workers=2)
    assert [run.values for run in runs] == [
        {"algorithm.name": name, "run.seed": seed} for name in ("hpcc", "dctcp") for seed in (0, 1)
    ]
    for run in runs:
        alone = weir.run(star, run.values)
        assert run.result.manifest["digest"] == alone.manifest["digest"]
        assert list(run.result.flows["fct_ps"]) == list(alone.flows["fct_ps"])


def test_results_are_measured_where_they_are_run(star):
    weir.add_algorithm(algorithms.Plain)
    star |= {"algorithm": {"name": "py-plain"}, "network": {"ecn": {"enabled": True}}}
    seeds = {"run.seed": [1, 2]}
    runs = weir.sweep(star, seeds, measure=algorithms.digest, setup=algorithms.setup, workers=1)
    assert [run.result for run in runs] == [weir.run(star, run.values).manifest["digest"] for run in runs]


def test_all_is_checked_before_anything_runs(star):
    with pytest.raises(weir.InputError, match="bbq"):
        weir.sweep(star, {"algorithm.name": ["hpcc", "bbq"]})
    with pytest.raises(weir.InputError, match="marked"):  # the network does not mark
        weir.sweep(star, {"algorithm.name": ["hpcc", "dctcp"]}, measure=fails)
    with pytest.raises(weir.InputError, match="no values"):
        weir.sweep(star, {"run.seed": []})


def fails(result):
    raise ArithmeticError("this one")


def test_an_error_of_a_run_is_raised(star):
    with pytest.raises(ArithmeticError, match="this one"):
        weir.sweep(star, {"run.seed": [1, 2]}, measure=fails, workers=1)
    with pytest.raises(RuntimeError, match="^algorithms.TwoThings: one and two$"):
        weir.sweep(star, {"run.seed": [1]}, measure=algorithms.raise_two_things, workers=1)
