#!/usr/bin/env python3
"""Golden vectors of the content hash, computed without any of the Go code.

Usage: python3 vectors.py > vectors.json

The procedure is that of the state format: take status and the server's part of
metadata out of an object, write it as Go's encoding/json does, hash with
SHA-256. "content" is the hash that is stored: nulls of built-in kinds left out,
base64 fields on one line, values of a Secret as HMAC-SHA256 of their bytes.
"""

import base64
import binascii
import hashlib
import hmac
import json
import re
import sys

KEY = bytes(range(32))

SERVER_FIELDS = ("resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "selfLink")

BUILT_IN = {
    "", "apps", "autoscaling", "batch", "extensions", "policy",
    "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io",
    "authentication.k8s.io", "authorization.k8s.io", "certificates.k8s.io",
    "coordination.k8s.io", "discovery.k8s.io", "events.k8s.io",
    "flowcontrol.apiserver.k8s.io", "internal.apiserver.k8s.io", "networking.k8s.io",
    "node.k8s.io", "rbac.authorization.k8s.io", "resource.k8s.io",
    "scheduling.k8s.io", "storage.k8s.io", "storagemigration.k8s.io",
}

INPUTS = {
    "config map": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"},"data":{"b":"2","a":"1"}}',
    "config map, other order": '{"data":{"a":"1","b":"2"},"metadata":{"namespace":"default","name":"a"},"kind":"ConfigMap","apiVersion":"v1"}',
    "server fields and status": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default","resourceVersion":"7","uid":"u","creationTimestamp":null,"generation":3,"managedFields":[{"manager":"m"}],"selfLink":"/x"},"data":{"a":"1","b":"2"},"status":{"x":1}}',
    "no metadata": '{"apiVersion":"v1","kind":"ConfigMap"}',
    "html characters": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"h"},"data":{"x":"<a href=\\"b\\">&amp;</a>"}}',
    "control and line separators": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"x":"\\u0000\\u0007\\b\\f\\n\\r\\t\\u001f\\u007f\\u0085\\u2028\\u2029\\ufeff\\\\/"}}',
    "beyond ASCII": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"u"},"data":{"é":"日本語","z":"\\ud83d\\ude00","\\uffff":"1","\\ud83d\\ude00":"2"}}',
    "integers": '{"apiVersion":"demo.example/v1","kind":"Big","metadata":{"name":"n"},"spec":{"a":9007199254740992,"b":9007199254740993,"c":9223372036854775807,"d":-9223372036854775808,"e":0,"f":-1}}',
    "integers beyond 64 bits": '{"apiVersion":"demo.example/v1","kind":"Big","metadata":{"name":"n"},"spec":{"a":9223372036854775808,"b":18446744073709551615,"c":123456789012345678901234567890}}',
    "fractions": '{"apiVersion":"demo.example/v1","kind":"Big","metadata":{"name":"n"},"spec":{"a":0.1,"b":1.10,"c":1e-7,"d":1.5e-06,"e":2.5e20,"f":1.5e21,"g":123456.789,"h":-0.5,"i":1e300,"j":0.30000000000000004}}',
    "nulls": '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","annotations":null},"spec":{"replicas":1,"template":{"spec":{"tolerations":null,"containers":[{"name":"m","env":null},null]}}}}',
    "without nulls": '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":1,"template":{"spec":{"containers":[{"name":"m"},null]}}}}',
    "nulls of a custom resource": '{"apiVersion":"demo.example/v1","kind":"Thing","metadata":{"name":"t"},"spec":{"limit":null}}',
    "nulls of a CRD group that looks built-in": '{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","metadata":{"name":"t"},"spec":{"limit":null}}',
    "secret": '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"default"},"type":"Opaque","data":{"password":"Zmlyc3QtcGFzcw==","bytes":"//4AAQ=="},"stringData":{"pin":"4711","empty":""}}',
    "secret, wrapped base64 and nulls": '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"default"},"type":"Opaque","data":{"password":"Zmlyc3Qt\\ncGFzcw==\\n","bytes":"//4AAQ==","gone":null},"stringData":{"pin":"4711","empty":""}}',
    "secret, text beyond ASCII": '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"p":"pässwörd \\ud83d\\ude00"}}',
    "secret without values": '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{}}',
    "binary data on one line": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"binaryData":{"blob":"//4AAQIDBAUGBwgJ"}}',
    "binary data on two lines": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"binaryData":{"blob":"//4AAQID\\nBAUGBwgJ\\n"}}',
}


def go_float(value):
    """Format a float as encoding/json does."""
    if value == 0:
        return "-0" if str(value).startswith("-") else "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = ("%r" % abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    if fraction == "0":
        fraction = ""
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or "0")
    if whole == "0":
        point = len(digits) - len(fraction) + int(exponent or "0")
    digits = digits.rstrip("0") or "0"
    if 1e-6 <= abs(value) < 1e21:
        if point <= 0:
            return sign + "0." + "0" * -point + digits
        if len(digits) <= point:
            return sign + digits + "0" * (point - len(digits))
        return sign + digits[:point] + "." + digits[point:]
    head = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    exp = point - 1
    return "%s%se%s%s" % (sign, head, "-" if exp < 0 else "+", abs(exp))


def go_string(text):
    out = json.dumps(text, ensure_ascii=False)
    for char in "<>&\u2028\u2029":
        out = out.replace(char, "\\u%04x" % ord(char))
    return out


def go_json(value):
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return go_string(value)
    if isinstance(value, int):
        if -(2**63) <= value < 2**63:
            return str(value)
        return go_float(float(value))
    if isinstance(value, float):
        return go_float(value)
    if isinstance(value, list):
        return "[" + ",".join(go_json(item) for item in value) + "]"
    keys = sorted(value, key=lambda key: key.encode())
    return "{" + ",".join(go_string(key) + ":" + go_json(value[key]) for key in keys) + "}"


def strip(obj):
    out = {key: value for key, value in obj.items() if key != "status"}
    if isinstance(out.get("metadata"), dict):
        out["metadata"] = {k: v for k, v in out["metadata"].items() if k not in SERVER_FIELDS}
    return out


def plain(obj):
    return hashlib.sha256(go_json(strip(obj)).encode()).hexdigest()


def without_nulls(value):
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [without_nulls(v) for v in value]
    return value


def decoded(text):
    return base64.b64decode(re.sub(r"[\r\n]", "", text), validate=True)


def keyed(raw):
    return "hmac:" + hmac.new(KEY, raw, hashlib.sha256).hexdigest()


def content(obj):
    api_version, kind = obj["apiVersion"], obj["kind"]
    group = api_version.rpartition("/")[0]
    if group in BUILT_IN:
        obj = without_nulls(obj)
    if (group, kind) == ("", "Secret"):
        obj = dict(obj)
        if "data" in obj:
            obj["data"] = {k: keyed(decoded(v)) for k, v in obj["data"].items()}
        if "stringData" in obj:
            obj["stringData"] = {k: keyed(v.encode()) for k, v in obj["stringData"].items()}
    if (group, kind) == ("", "ConfigMap") and "binaryData" in obj:
        obj = dict(obj)
        obj["binaryData"] = {k: base64.b64encode(decoded(v)).decode() for k, v in obj["binaryData"].items()}
    return plain(obj)


def main():
    vectors = []
    for name, text in INPUTS.items():
        obj = json.loads(text)
        vectors.append({"name": name, "object": text, "plain": plain(obj), "content": content(obj)})
    json.dump({"key": binascii.hexlify(KEY).decode(), "vectors": vectors}, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
