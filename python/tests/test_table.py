import gc
import pickle

import numpy as np
import pytest
import weir

# Flows that have not finished when the run stops: their fields are empty.
UNFINISHED = {"run.stop": "30 us"}


@pytest.fixture(name="result")
def result_fixture(star):
    return weir.run(star)


def test_columns_are_memory_that_is_not_copied(result):
    flows = result.flows
    first, second = flows["size_bytes"], flows["size_bytes"]
    assert first.ctypes.data == second.ctypes.data
    assert first.dtype == np.int64 and not first.flags.writeable and not first.flags.owndata
    assert list(first) == [100_000] * 8
    expected = first.copy()
    del result, flows, second
    gc.collect()
    np.testing.assert_array_equal(first, expected)


def test_slowdowns_are_those_of_the_times(result):
    flows = result.flows
    np.testing.assert_allclose(flows["slowdown"], flows["fct_ps"] / flows["ideal_fct_ps"], rtol=1e-6)
    assert flows["slowdown"].dtype == np.float64
    assert set(flows["algorithm"]) == {"hpcc"}
    assert result.summary["flows"]["finished"] == len(flows)


def test_what_is_missing_is_nan(star):
    flows = weir.run(star, UNFINISHED).flows
    assert np.isnan(flows["fct_ps"]).all() and np.isnan(flows["slowdown"]).all()
    assert flows.raw("fct_ps").dtype == np.int64
    assert not flows.valid("fct_ps").any() and flows.valid("start_ps").all()


def test_some_are_missing(star):
    star["traffic"] = [{"kind": "incast", "size": "1 KB", "receiver": "last"},
                       {"kind": "incast", "size": "10 MB", "receiver": "last"}]
    flows = weir.run(star, {"run.stop": "100 us"}).flows
    small = flows["size_bytes"] == 1000
    assert small.sum() == 8 and len(flows) == 16
    np.testing.assert_array_equal(flows.valid("finish_ps"), small)
    np.testing.assert_array_equal(np.isnan(flows["finish_ps"]), ~small)


def test_names_that_are_not_there(result):
    with pytest.raises(KeyError, match="queues"):
        result["packets"]
    with pytest.raises(KeyError):
        result.flows["size"]


def test_pandas(result, star):
    pandas = pytest.importorskip("pandas")
    frame = result.flows.to_pandas()
    assert list(frame.columns) == result.flows.columns
    assert (frame["fct_ps"] == frame["finish_ps"] - frame["start_ps"]).all()
    assert frame["algorithm"].dtype == "category"
    unfinished = weir.run(star, UNFINISHED).flows.to_pandas()
    assert unfinished["fct_ps"].dtype == "Int64" and unfinished["fct_ps"].isna().all()
    assert isinstance(unfinished, pandas.DataFrame)


def test_polars(result):
    polars = pytest.importorskip("polars")
    frame = result["queues"].to_polars()
    assert frame.height == len(result["queues"])
    assert frame.schema["queue_bytes"] == polars.Int64
    assert frame["queue_bytes"].max() == result["queues"]["queue_bytes"].max()
    assert result.flows.to_polars()["algorithm"].unique().to_list() == ["hpcc"]


def test_arrow_takes_the_memory_itself(result):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(result.flows)
    table.validate(full=True)
    assert table.schema.field("fct_ps").type == pyarrow.int64()
    assert table.schema.field("slowdown").type == pyarrow.float64()
    assert table.schema.field("tag").type == pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    memory = table["size_bytes"].chunk(0).buffers()[1].address
    assert memory == result.flows["size_bytes"].ctypes.data
    assert pyarrow.record_batch(result.flows).num_rows == len(result.flows)
    assert pyarrow.schema(result.flows) == table.schema
    expected = table["fct_ps"].to_pylist()
    del result
    gc.collect()
    assert table["fct_ps"].to_pylist() == expected


def test_arrow_has_nulls_where_fields_are_empty(star):
    pyarrow = pytest.importorskip("pyarrow")
    flows = weir.run(star, UNFINISHED).flows
    table = pyarrow.table(flows)
    table.validate(full=True)
    assert table["fct_ps"].null_count == table["slowdown"].null_count == len(flows)
    assert table["start_ps"].null_count == 0


def test_capsules_that_nobody_takes(result):
    for _ in range(100):
        result.flows.__arrow_c_schema__()
        result.flows.__arrow_c_array__()
        result.flows.__arrow_c_stream__()


def test_results_can_be_pickled(result):
    copy = pickle.loads(pickle.dumps(result))
    assert copy.summary == result.summary and list(copy.tables) == list(result.tables)
    for name in result.tables:
        for column in result[name].columns:
            np.testing.assert_array_equal(copy[name][column], result[name][column])
