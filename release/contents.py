"""Writes what a program is made of, from the list that cargo-auditable put into it.

    rust-audit-info PROGRAM | contents.py FILE

FILE.cdx.json is a software bill of materials (CycloneDX 1.5), and FILE.licences.txt the licences of other authors.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path


def described(package):
    """A package as a component."""
    known, reference = MANIFESTS[key(package)], "{name}@{version}".format(**package)
    component = {"type": "library", "bom-ref": reference, "name": package["name"], "version": package["version"]}
    if package.get("kind") == "build":
        component["scope"] = "excluded"
    if known["license"]:
        component["licenses"] = [{"expression": known["license"].replace("/", " OR ")}]
    if package["source"] != "local":
        component["hashes"] = [{"alg": "SHA-256", "content": CHECKSUMS[key(package)]}]
        component["purl"] = f"pkg:cargo/{reference}"
    return component


def key(package):
    return package["name"], package["version"]


def licences(package):
    """The texts of the licences of a package."""
    folder = Path(MANIFESTS[key(package)]["manifest_path"]).parent
    files = sorted(it for it in folder.iterdir() if it.is_file() and it.name.upper().startswith(("LICEN", "COPYING", "NOTICE")))
    texts = [it.read_text(errors="replace").strip() for it in files]
    terms = MANIFESTS[key(package)]["license"]
    return "\n\n".join(["== {name} {version}, ".format(**package) + (terms or "see below"), *texts, ""])


METADATA = json.loads(subprocess.check_output(["cargo", "metadata", "--locked", "--format-version", "1"]))
MANIFESTS = {key(package): package for package in METADATA["packages"]}
CHECKSUMS = {key(package): package.get("checksum") for package in tomllib.loads(Path("Cargo.lock").read_text())["package"]}
packages = json.load(sys.stdin)["packages"]
references = [described(package)["bom-ref"] for package in packages]
[root] = [package for package in packages if package.get("root")]
bill = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    "version": 1,
    "metadata": {"component": {**described(root), "type": "application"}},
    "components": [described(package) for package in packages if package is not root],
    "dependencies": [
        {"ref": reference, "dependsOn": sorted({references[it] for it in package.get("dependencies", [])})}
        for reference, package in zip(references, packages)
    ],
}
Path(f"{sys.argv[1]}.cdx.json").write_text(json.dumps(bill, indent=1) + "\n")
others = [licences(package) for package in packages if package["source"] != "local" and package.get("kind") != "build"]
Path(f"{sys.argv[1]}.licences.txt").write_text("\n".join(others))
