"""Writes what a program is made of, by the list that cargo-auditable put into it.

    rust-audit-info PROGRAM | contents.py FILE

FILE.cdx.json is a software bill of materials (CycloneDX 1.5), and FILE.licences.txt has the licences of other authors.
"""

import json
import subprocess
import sys
from pathlib import Path

METADATA = json.loads(subprocess.check_output(["cargo", "metadata", "--locked", "--format-version", "1"]))
MANIFESTS = {(it["name"], it["version"]): it for it in METADATA["packages"]}


def manifest(package):
    return MANIFESTS[package["name"], package["version"]]


def reference(package):
    return "{name}@{version}".format(**package)


def component(package):
    kind = "application" if package.get("root") else "library"
    found = {"type": kind, "bom-ref": reference(package), "name": package["name"], "version": package["version"]}
    if terms := manifest(package)["license"]:
        found["licenses"] = [{"expression": terms.replace("/", " OR ")}]
    return found if package["source"] == "local" else {**found, "purl": f"pkg:cargo/{reference(package)}"}


def licences(package):
    files = sorted(Path(manifest(package)["manifest_path"]).parent.glob("[LCNlcn]*"))
    texts = [it.read_text().strip() for it in files if it.is_file() and it.name.upper().startswith(("LICEN", "COPYING", "NOTICE"))]
    return "\n\n".join([manifest(package)["license"] or "", *texts])


everything = json.load(sys.stdin)["packages"]
# What only the build needs is not in the program.
packages = [it for it in everything if it.get("kind") != "build"]
bill = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    "version": 1,
    "metadata": {"component": next(component(it) for it in packages if it.get("root"))},
    "components": [component(it) for it in packages if not it.get("root")],
    "dependencies": [
        {"ref": reference(it), "dependsOn": [reference(on) for on in map(everything.__getitem__, it.get("dependencies", [])) if on in packages]}
        for it in packages
    ],
}
Path(f"{sys.argv[1]}.cdx.json").write_text(json.dumps(bill, indent=1) + "\n")
users = {}
for package in packages:
    if package["source"] != "local":
        users.setdefault(licences(package), []).append(reference(package))
Path(f"{sys.argv[1]}.licences.txt").write_text("\n".join(f"== {', '.join(names)}: {text}\n" for text, names in users.items()))
