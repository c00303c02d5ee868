"""Writes the software bill of materials of a release: CycloneDX JSON, checked against its schema.

    sbom.py VERSION OUT LIBRARY...

LIBRARY is a Debian package that Weir is built with, of the version that is installed here. Of npm's packages only ECharts, with
what it depends on, is inside the pages that the command writes.
"""
import json
import pathlib
import subprocess
import sys

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

ROOT = pathlib.Path(__file__).resolve().parent.parent


def debian(name):
    version, source = subprocess.run(["dpkg-query", "-W", "-f=${Version} ${source:Package}", name], check=True, text=True,
                                     stdout=subprocess.PIPE).stdout.split()
    return Component(name=name, version=version, type=ComponentType.LIBRARY, bom_ref=f"deb:{name}", description=f"of {source}",
                     purl=PackageURL("deb", "debian", name, version))


def npm(*names):
    """These npm packages and what they depend on."""
    packages = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    for name in names:
        package = packages[f"node_modules/{name}"]
        yield Component(name=name, version=package["version"], type=ComponentType.LIBRARY, bom_ref=f"npm:{name}",
                        purl=PackageURL("npm", None, name, package["version"]),
                        licenses=[DisjunctiveLicense(id=package["license"])])
        yield from npm(*package.get("dependencies", {}))


def main():
    version, out, *libraries = sys.argv[1:]
    bom = Bom()
    weir = Component(name="weir", version=version, type=ComponentType.APPLICATION, bom_ref="weir",
                     licenses=[DisjunctiveLicense(id="Apache-2.0")])
    bom.metadata.component = weir
    components = [*(debian(name) for name in libraries), *npm("echarts")]
    bom.components.update(components)
    bom.register_dependency(weir, components)
    text = JsonV1Dot6(bom).output_as_string(indent=1)
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if wrong:
        sys.exit(f"sbom: {wrong}")
    pathlib.Path(out).write_text(text + "\n")
    print(f"sbom: {len(bom.components)} components in {out}")


main()
