"""What editors know of Weir, made of what `weir list` tells: a JSON schema of scenarios."""
import json
import re

TYPES = {"number": "number", "integer": "integer", "boolean": "boolean"}


def value(parameter):
    """The schema of a parameter's value."""
    of = {"description": parameter["meaning"] + (f" ({parameter['valid']})" if parameter["valid"] else "")}
    if parameter["type"] == "choice":
        return {**of, "enum": parameter["choices"]}
    if parameter["type"] in TYPES:
        return {**of, "type": TYPES[parameter["type"]]}
    # Quantities are text with a unit, or a plain 0; hosts are text or the number of one.
    return {**of, "type": ["string", "integer"]}


def table_at(schema, path, repeated):
    """The schema of the table of that path, which is made where it is missing."""
    for number, name in enumerate(path, 1):
        new = {"type": "array", "items": {"type": "object"}} if repeated and number == len(path) else {"type": "object"}
        schema = schema.setdefault("properties", {}).setdefault(name, new)
        schema = schema.get("items", schema)
    return schema


def add(properties, name, of):
    """A key that several kinds of a table have has the values of all of them."""
    known = properties.setdefault(name, of)
    if known != of:
        of = {key: value for key, value in of.items() if key != "description"}
        choices = known.setdefault("anyOf", [{key: known.pop(key) for key in ("type", "enum") if key in known}])
        if of not in choices:
            choices.append(of)


def scenario_schema(listed):
    """`listed` is what `weir list --json` prints. Keys of all kinds of a table are valid, whatever its kind."""
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A scenario of Weir",
        "type": "object",
        "required": ["topology", "algorithm", "traffic"],
        "properties": {"title": {"type": "string"}},
    }
    kinds = {}
    for section, entries in listed.items():
        for entry in entries if section != "curricula" else ():
            for table in entry.get("tables", []):
                header = table["header"]
                for repeated, path in re.findall(r"(?=(\[\[|\[))\1([\w.]+)\]", header):
                    path = path.split(".")
                    place = table_at(schema, path, repeated == "[[" and path != ["profile"])
                    properties = place.setdefault("properties", {})
                    for parameter in table["parameters"]:
                        add(properties, parameter["name"], value(parameter))
                    if match := re.search(r"\b(kind|name) = ", header):
                        kinds.setdefault((tuple(path), match[1]), []).append(entry["name"])
                    elif entry.get("presets"):
                        properties["preset"] = {"enum": [preset["name"] for preset in entry["presets"]]}
    properties = schema["properties"]
    for (path, key), names in kinds.items():
        # A preset, or the name of a plug-in's algorithm, is one as well.
        of = {"anyOf": [{"enum": names}, {"type": "string"}]}
        if path == ("algorithm",):
            of["description"] = "an algorithm (weir list algorithms)"
        table_at(schema, path, False).setdefault("properties", {})[key] = of
    algorithm = properties["algorithm"]
    algorithm["properties"]["preset"] = {"type": "string"}
    profile = properties.pop("profile")
    keys = {**algorithm["properties"], **profile.get("properties", {}), "name": {"type": "string"}}
    keys["algorithm"] = algorithm["properties"]["name"]
    properties["profile"] = {"type": "array", "items": {"type": "object", "properties": keys}}
    traffic = properties["traffic"]["items"]["properties"]
    traffic.update({"tag": {"type": "string"}, "profile": {"type": "string"}, "completion": {"type": "boolean"}})
    for probe, table in properties["probes"]["properties"].items():
        properties["probes"]["properties"][probe] = {"anyOf": [{"type": "boolean"}, table]}
    properties["fidelity"]["properties"]["connections"] = {}
    return json.dumps(schema, indent=1) + "\n"
