import pathlib

import pytest
import weir

# The build makes it of examples/plugin.cc, beside the package.
PLUGIN = pathlib.Path(weir.__file__).parents[2] / "tests" / "plugins" / "libplugin_halving.so"
if not PLUGIN.is_file():
    pytest.skip(f"{PLUGIN} was not built", allow_module_level=True)


def test_a_plugin_brings_algorithms(star):
    star["network"] = {"ecn": {"enabled": True}}
    star["algorithm"] = {"name": "halving"}
    with pytest.raises(weir.InputError, match="halving"):
        weir.run(star)
    assert weir.load_plugin(str(PLUGIN)) == ["halving"]
    assert weir.load_plugin(str(PLUGIN)) == ["halving"]  # again changes nothing
    result = weir.run(star)
    assert result.is_whole and set(result.flows["algorithm"]) == {"halving"}
    assert result.manifest["plugins"][0]["file"] == str(PLUGIN)
    assert weir.catalogue()["algorithms"]["halving"]["packets"].default > 0
    assert weir.run(star, {"algorithm.packets": 4}).manifest["digest"] != result.manifest["digest"]


def test_what_is_no_plugin_is_refused(tmp_path):
    (tmp_path / "text.so").write_text("this is no library")
    for name, why in (("none.so", "none.so"), ("text.so", "shared library")):
        with pytest.raises(weir.InputError, match=why):
            weir.load_plugin(str(tmp_path / name))
    with pytest.raises(weir.InputError, match="WEIR_PLUGIN"):
        weir.load_plugin(str(PLUGIN.with_name("libplugin_none.so")))
