#!/usr/bin/env python3
"""Random strings cut by the patterns that models publish, as pre_tokenizer_oracle_test.cpp wants them.

    pre_tokenizer_oracle.py STRINGS SEED

Prints one JSON object: the strings, each in Unicode's form C, and for every name of tokenizer.ggml.pre the
lengths of the pieces, in characters, that its published patterns cut each string into. The patterns stand
here as published; the engine's may be written in another way. Wants python3-regex.
"""
import json
import random
import sys
import unicodedata

import regex

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
DEEPSEEK_CJK = "[一-龥ࠀ-一가-퟿]+"
V3_WORDS = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"""
V3 = V3_WORDS + r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
HAN_KANA = "[一-龥぀-ゟ゠-ヿ]+"
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"

STEPS = {
    "gpt2": [GPT2],
    "digits-gpt2": [r"\p{N}", GPT2],
    "llama3": [LLAMA3],
    "qwen2": [QWEN2],
    "qwen35": [
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ],
    "laguna": [r"[^\n]+|[\n]+", QWEN2],
    "ufakzeka": [
        r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ],
    "minicpm5": [
        r"\p{N}{1,3}",
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    ],
    "seed-coder": [
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ],
    "bailingmoe": [
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*"
        r"|\s*[\r\n]|\s+(?!\S)|\s+"
    ],
    "exaone-moe": [
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+"
    ],
    "jais-2": [
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)"
        r"|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}"
    ],
    "o200k": [O200K],
    "tekken": [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ],
    "tiny_aya": [r"\d{1,3}(?=(?:\d{3})*\b)", O200K],
    "kimi-k2": [
        r"[\p{Han}]+"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ],
    "youtu": [
        "[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+",
        O200K.replace(r"\p{N}{1,3}", r"\p{N}"),
    ],
    "falcon": [r"[!-/:-@\[-`{-~\p{P}]+", GPT2, r"[0-9][0-9][0-9]"],
    "deepseek-llm": [
        r"[\r\n]",
        r"\s?[A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af"
        r"\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5"
        r"\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba"
        r"\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45"
        r"\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe"
        r"\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102"
        r"\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139"
        r"\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3"
        r"\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06"
        r"\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3"
        r"\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2\U000118a0-\U000118df"
        r"\U0001e900-\U0001e943]+",
        r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
        r"\s+$",
        DEEPSEEK_CJK,
        r"\p{N}",
    ],
    "deepseek-coder": [r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", DEEPSEEK_CJK, r"\p{N}"],
    "deepseek-v3": [r"\p{N}{1,3}", HAN_KANA, V3],
    "spark2_5": [
        r"\p{N}{1,3}",
        HAN_KANA,
        V3_WORDS + r"| ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+",
        r"\p{N}",
    ],
    "afmoe": [
        r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))",
        "[一-鿿㐀-䶿\uf900-\ufaff぀-ゟ゠-ヿ･-ﾟ\u2f00-\u2fdfเ-๿\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f\uaa60-\uaa7f"
        "\ua9e0-\ua9ff\uac00-\ud7af\u1100-\u11ff]+",
        V3,
    ],
    "superbpe": [r"\p{N}+", r"(?=(\d{3})+(?!\d))"],
    "bloom": [BLOOM],
    "viking": [BLOOM, r"\p{N}"],
    "chameleon": [
        r"<sentinel:[0-9]+>",
        r"(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
        r"([\t\n]|    |  )",
        r"\p{N}",
        r"[\p{P}!-/:-@\[-`{-~]",
        GPT2,
    ],
}

NAMES = {
    "gpt2": "gpt-2 default phi-2 mpt gpt-neox olmo jais trillion granite-docling gigachat a.x-4.0 mellum exaone4",
    "digits-gpt2": "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2",
    "llama3": "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 chatglm-bpe glm4 glm5 dbrx smaug-bpe",
    "qwen2": "qwen2 deepseek-r1-qwen f2llmv2 stablelm2 hunyuan kormo megrez solar-open grok-2",
    "bailingmoe": "bailingmoe bailingmoe2 llada-moe",
    "o200k": "gpt-4o llama4 kanana2 talkie minimax-m2",
    "tiny_aya": "tiny_aya cohere2moe",
    "deepseek-v3": "deepseek-v3 hunyuan-dense hy_v4 joyai-llm",
    "bloom": "bloom poro-chat gpt3-finnish",
}

# Cases that the patterns tell apart, and that they are known to trip over.
ATOMS = [
    *"abcxyzstmd", *"ABCXYZSTMD", *"éßñüÀÉØŠж", *"ЖДабвΣσςΩἀ", *"ǅǈᾈ", *"ʰˢ々ー", *"אبجदकขກმჵᲐက",
    *"中文漢字〇〡㐀豈", *"ひらカナｱ", *"한국어ㄱㅏ", "\u1112\u1161\u11ab", "e\u0301", "A\u030a", "\u0301", "\u0316\u0301",
    "\u0323\u0307", "\u093f", "\u0bcd", "\u0e31", "\u3099", "か\u3099", "\u212b", "\u2126", "\u017f", "\u212a", "ſ",
    *"0123456789", *"٠١٢३๔", *"²½Ⅻ①㊿", "12345", "1234567", "²123", "123²", "99a",
    " ", " ", "  ", "   ", "    ", "\t", "\n", "\n\n", "\r\n", "\r", "\u00a0", "\u3000", "\u2009", "\u2028", "\u0085",
    "\u200b", "\u200d", "\u180e", "\ufeff", "\x00", "\x1c", "\x1f", "\x0b", "\x7f",
    "'s", "'S", "'t", "'re", "'RE", "'ve", "'m", "'ll", "'LL", "'d", "'x", "'", "''", "\u2019s", "\u2019", "'\u017f",
    *"!?.,:;-_/\\()[]{}<>@#$%^&*+=|~`\"", "...", "//", "/\n", "!\n\n", "€", "£", "…", "。", "，", "、", "「", "！", "「」",
    "।", "۔", "،", "—", "“", "”", "∑", "→", "☃", "\ufe0f", "\U0001f600", "\U0001f469\u200d\U0001f4bb", "\U0001f1eb\U0001f1f7",
    "\U0001d49c", "\U00010400", "\U00010428", "\U0001e900", "\U00020000", "\U00016ff0", "\u24b6", "\U0001f130",
    "\u0660", "\u203f", "\u16ee", "\ue000", "\u00ad", "word", "Word", "WORD", "camelCase", "HTTPServer", " the", " The",
    "IMGIMGABZ", "<sentinel:12>", "#include", ".foo", "a b c",
]
ASSIGNED = [
    c for c in map(chr, range(0x110000)) if unicodedata.category(c) not in ("Cn", "Cs", "Co")
]


NESTED = regex.compile(r"&&|\|\[")


def string(random_):
    out = []
    for _ in range(random_.randint(1, 14)):
        kind = random_.random()
        if kind < 0.1:
            out.append(random_.choice(ASSIGNED))
        elif kind < 0.2:
            out.append(random_.choice(ATOMS) * random_.randint(2, 9))
        else:
            out.append(random_.choice(ATOMS))
    return "".join(out)


def cut(pattern, piece):
    """What matches is a piece, and so is what lies between; a match of nothing is a place to cut."""
    done = 0
    out = []
    for match in pattern.finditer(piece):
        if match.start() > done:
            out.append(piece[done : match.start()])
        if match.end() > match.start():
            out.append(match.group())
        done = match.end()
    return out + ([piece[done:]] if done < len(piece) else [])


def lengths(patterns, text):
    pieces = [text]
    for pattern in patterns:
        pieces = [part for piece in pieces for part in cut(pattern, piece)]
    return [len(piece) for piece in pieces]


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    random_ = random.Random(seed)
    strings = [string(random_) for _ in range(count)]
    pieces = {}
    for name, steps in STEPS.items():
        # Version 1 has classes inside classes, and other meanings for doubled signs inside one.
        patterns = [regex.compile(step, regex.V1 if NESTED.search(step) else 0) for step in steps]
        cuts = [lengths(patterns, text) for text in strings]
        for known in NAMES.get(name, name).split():
            pieces[known] = cuts
    json.dump(
        {"strings": strings, "nfc": [unicodedata.normalize("NFC", text) for text in strings], "pieces": pieces},
        sys.stdout,
    )


main()
