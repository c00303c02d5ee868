import weir


def test_all_that_a_scenario_can_name_has_a_help_text():
    catalogue = weir.catalogue()
    assert {"algorithms", "topologies", "traffic", "probes", "run"} <= set(catalogue)
    for section in catalogue.values():
        for entry in section.values():
            assert entry.meaning or section.name == "workloads"  # data sets, some without a description
            for table in entry.parameters.values():
                for parameter in table.values():
                    assert parameter.meaning and parameter.type, (entry.name, parameter.name)


def test_an_algorithm_with_its_parameters():
    hpcc = weir.catalogue()["algorithms"]["hpcc"]
    assert hpcc["eta"].default == 0.95 and hpcc["eta"].type == "number"
    assert "eta: " in str(hpcc) and hpcc.source
    assert "hpcc" in repr(weir.catalogue()["algorithms"])
