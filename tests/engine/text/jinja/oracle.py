#!/usr/bin/env python3
"""What jinja2 makes of templates, set up as the library transformers sets it up.

Usage: oracle.py rows                  the hand-written templates of rows.py
       oracle.py templates FOLDER      every *.jinja of FOLDER over the conversations below
       oracle.py generated COUNT SEED  random templates

Prints a JSON array: {"name", "template", "context", "text"}. context is JSON, or empty where it is that
of the one before; text is null where jinja2 refuses.

tests/data/jinja_rows.json is what `oracle.py rows` prints.
"""
import functools
import json
import pathlib
import sys

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.sandbox

import conversations
import generate
import rows

DATE = (2026, 2, 3, 4, 5, 6)


class Generation(jinja2.ext.Extension):
    """{% generation %}: prints its body."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        call = self.call_method("_body")
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators,
                      sort_keys=sort_keys)


def strftime_now(format):
    import datetime
    return datetime.datetime(*DATE).strftime(format)


def environment():
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True,
        extensions=[Generation, jinja2.ext.loopcontrols])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = strftime_now
    return env


ENVIRONMENT = environment()


@functools.lru_cache(maxsize=4)
def compiled(template):
    return ENVIRONMENT.from_string(template)


def rendered(template, context):
    try:
        text = compiled(template).render(**context)
        text.encode()
        return text
    except Exception:
        return None


def case(name, template, context):
    # Through JSON and back, so that both sides see the same numbers.
    context = json.loads(json.dumps(context))
    return {"name": name, "template": template, "context": json.dumps(context),
            "text": rendered(template, context)}


def main():
    mode = sys.argv[1]
    if mode == "rows":
        cases = [case(f"rows/{template}", template, conversations.ROW_CONTEXT)
                 for template in rows.rows()]
    elif mode == "templates":
        cases = []
        for path in sorted(pathlib.Path(sys.argv[2]).glob("*.jinja")):
            source = path.read_text(encoding="utf-8")
            for name, context in conversations.contexts():
                cases.append(case(f"{path.stem}/{name}", source, context))
    else:
        cases = [case(f"generated/{i}", template, context)
                 for i, (template, context) in enumerate(
                     generate.templates(int(sys.argv[2]), int(sys.argv[3])))]
    last = None
    for one in cases:
        if one["context"] == last:
            one["context"] = ""
        else:
            last = one["context"]
        if mode == "rows":
            del one["name"]
    json.dump(cases, sys.stdout, ensure_ascii=False, indent=0 if mode == "rows" else None)


if __name__ == "__main__":
    main()
