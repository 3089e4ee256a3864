"""Holds a service's OpenAPI document against readers written by others: PyYAML and openapi-spec-validator."""

import json
import sys
import urllib.request

import yaml
from openapi_spec_validator import validate

address = sys.argv[1]


def fetch(path):
    with urllib.request.urlopen(address + path) as answer:
        return answer.read().decode()


document = yaml.safe_load(fetch("/openapi.yaml"))
validate(document)
if document != json.loads(fetch("/openapi.json")):
    sys.exit("openapi.yaml and openapi.json differ")
operations = sum(method in ("get", "put", "post", "patch", "delete") for item in document["paths"].values() for method in item)
print(f"valid OpenAPI {document['openapi']}, {operations} operations")
