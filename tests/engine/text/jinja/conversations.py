"""The conversations that every template is rendered for, and the variables of single rows."""

TOOLS = [
    {"type": "function", "function": {
        "name": "get_weather", "description": "Says how the \"weather\" is <there>.",
        "parameters": {"type": "object", "properties": {
            "place": {"type": "string", "description": "A town."},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            "days": {"type": "array", "items": {"type": "integer"}, "nullable": True},
            "where": {"type": "object", "properties": {"x": {"type": "number"}},
                      "required": ["x"]}},
            "required": ["place"]}}},
    {"type": "function", "function": {
        "name": "now", "description": "The time \u00e9.",
        "parameters": {"type": "object", "properties": {}}}},
]

USER = {"role": "user", "content": "What is rain?  \n"}
ANSWER = {"role": "assistant", "content": "Water that falls. <b>\u96e8</b>"}
SYSTEM = {"role": "system", "content": "You speak briefly."}
CALL = {"role": "assistant", "content": "", "tool_calls": [
    {"id": "call12345", "type": "function", "function": {
        "name": "get_weather", "arguments": {"place": "Aix & Ost", "days": [1, 2.5], "ok": True,
                                             "no": None}}}]}
RESULT = {"role": "tool", "content": "{\"sky\": \"clear\"}", "tool_call_id": "call12345",
          "name": "get_weather"}
THOUGHT = {"role": "assistant", "content": "Blue.", "reasoning_content": "Rayleigh, so blue."}
INLINE = {"role": "assistant", "content": "<think>\nHm, so.\n</think>\n\nGreen."}

CONVERSATIONS = {
    "one": [USER],
    "turns": [USER, ANSWER, {"role": "user", "content": "And snow?"}],
    "system": [SYSTEM, USER, ANSWER, {"role": "user", "content": "And snow?"}],
    "tools": [SYSTEM, USER, CALL, RESULT, ANSWER, USER],
    "waiting": [USER, CALL, RESULT],
    "thought": [USER, THOUGHT, USER],
    "inline": [USER, INLINE, USER],
    "ends": [USER, THOUGHT],
    "odd": [USER, USER],
    "empty": [],
    "long": [SYSTEM] + [USER, ANSWER, USER, THOUGHT, USER, INLINE, USER, ANSWER] * 13 + [USER],
    "long tools": [SYSTEM] + [USER, CALL, RESULT, ANSWER] * 50 + [USER],
}


def contexts():
    for name, messages in CONVERSATIONS.items():
        for prompt in (True, False):
            context = {"messages": messages, "add_generation_prompt": prompt,
                       "bos_token": "<s>", "eos_token": "</s>"}
            if name in ("tools", "waiting", "long tools"):
                context["tools"] = TOOLS
            yield f"{name}/{'open' if prompt else 'closed'}", context
    for thinking in (True, False):
        yield f"thinking {thinking}", {
            "messages": CONVERSATIONS["turns"], "add_generation_prompt": True,
            "bos_token": "<s>", "eos_token": "</s>", "enable_thinking": thinking,
            "thinking": thinking, "reasoning_effort": "high" if thinking else "low"}


ROW_CONTEXT = {
    "s": "Hello, World", "u": "\u00c4pfel \u03a3\u03a3 \u00df\u96e8 \U0001f642", "e": "",
    "lines": "one\n two\r\n\nthree\n", "html": "<a href=\"x\">&'</a>", "n": 7, "z": 0, "m": -3,
    "f": 2.5, "big": 123456789.125, "t": True, "none": None, "l": [3, 1, 2], "ls": ["b", "A", "c"],
    "ll": [[1, 2], [3, 4]], "d": {"b": 1, "A": 2, "c": [1, {"x": None}]},
    "rows": [{"n": "x", "v": 2, "k": {"z": 1}}, {"n": "Y", "v": 1, "k": {"z": 3}},
             {"n": "x", "v": 3}],
    "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}],
}
