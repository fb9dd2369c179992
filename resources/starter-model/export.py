#!/usr/bin/env python3
"""Write the trained starter model as GGUF (version 3, architecture "bamboo").

usage: export.py --work DIR --out DIR
       export.py --check FILE.gguf --reference reference.json [--heldout heldout.txt]
The first reads final_f16.pt, tokenizer.json and predictors.npz from --work and writes *.gguf to
--out; the second runs a file (F16 or Q8_0) in numpy and compares. Needs numpy only.
"""
import argparse
import io
import json
import os
import pickle
import re
import struct
import zipfile
import numpy as np

CFG = dict(
    vocab=16384,
    dim=512,
    layers=12,
    heads=8,
    kv_heads=4,
    head_dim=64,
    ff=2048,
    ctx=1024,
    theta=10000.0,
    eps=1e-5,
)
F32, F16, Q4_0, Q8_0 = 0, 1, 2, 8
TEMPLATE = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] +"
    " '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n'"
    " }}{% endif %}"
)


def load_checkpoint(path):
    """Returns the tensors of a torch.save file of float16 tensors, without torch."""
    z = zipfile.ZipFile(path)
    root = z.namelist()[0].split("/")[0]

    def rebuild(storage, offset, size, stride, *_):
        n = int(np.prod(size)) if size else 1
        return np.frombuffer(z.read(f"{root}/data/{storage}"), dtype=np.float16)[
            offset : offset + n
        ].reshape(size)

    class Un(pickle.Unpickler):
        def find_class(self, module, name):
            if name == "_rebuild_tensor_v2":
                return rebuild
            if name == "OrderedDict":
                return dict
            return lambda *a: None

        def persistent_load(self, pid):
            return pid[2]

    return Un(io.BytesIO(z.read(root + "/data.pkl"))).load()


# ---- GGUF ----------------------------------------------------------------------------------------
def q8_0(x):
    """Returns the bytes of x as Q8_0: per 32 values a float16 scale and 32 signed bytes."""
    b = x.astype(np.float32).reshape(-1, 32)
    d = (np.abs(b).max(1) / 127).astype(np.float16)
    inv = np.where(d > 0, 1 / np.maximum(d.astype(np.float32), 1e-30), 0)
    q = np.clip(np.rint(b * inv[:, None]), -127, 127).astype(np.int8)
    out = np.empty(len(b), dtype=[("d", "<f2"), ("q", "i1", 32)])
    out["d"], out["q"] = d, q
    return out.tobytes()


def s(text):
    """Returns a GGUF string."""
    b = text.encode("utf8")
    return struct.pack("<Q", len(b)) + b


def kv(key, value):
    """Returns one GGUF metadata entry; the type follows from the value's."""
    if isinstance(value, bool):
        return s(key) + struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return s(key) + struct.pack("<II", 4, value)
    if isinstance(value, float):
        return s(key) + struct.pack("<If", 6, value)
    if isinstance(value, str):
        return s(key) + struct.pack("<I", 8) + s(value)
    if isinstance(value[0], str):
        return s(key) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(s, value))
    return s(key) + struct.pack("<IIQ", 9, 5, len(value)) + np.array(value, "<i4").tobytes()


def write_gguf(path, meta, tensors):
    """Writes a file; tensors are (name, array, type)."""
    info, data, off = [], [], 0
    for name, x, t in tensors:
        raw = (
            x.astype("<f4").tobytes()
            if t == F32
            else x.astype("<f2").tobytes() if t == F16 else q8_0(x)
        )
        info.append(
            s(name)
            + struct.pack("<I", x.ndim)
            + b"".join(struct.pack("<Q", n) for n in reversed(x.shape))
            + struct.pack("<IQ", t, off)
        )
        raw += b"\0" * (-len(raw) % 32)
        data.append(raw)
        off += len(raw)
    head = (
        b"GGUF"
        + struct.pack("<IQQ", 3, len(tensors), len(meta))
        + b"".join(kv(k, v) for k, v in meta)
        + b"".join(info)
    )
    with open(path, "wb") as f:
        f.write(head + b"\0" * (-len(head) % 32))
        f.writelines(data)


def export(work, out):
    """Writes the F16 and Q8_0 models, the predictors and the activation frequencies."""
    w = load_checkpoint(os.path.join(work, "final_f16.pt"))
    t = json.load(open(os.path.join(work, "tokenizer.json")))["model"]
    tokens = [k for k, _ in sorted(t["vocab"].items(), key=lambda x: x[1])]
    assert len(tokens) == CFG["vocab"] and tokens[:3] == [
        "<|endoftext|>",
        "<|im_start|>",
        "<|im_end|>",
    ]
    merges = [m if isinstance(m, str) else " ".join(m) for m in t["merges"]]
    a = "bamboo."

    def meta(kind):
        return [
            ("general.architecture", "bamboo"),
            ("general.name", "Hearth Starter"),
            ("general.file_type", kind),
            ("general.quantization_version", 2),
            ("general.license", "cc-by-sa-4.0"),
            (
                "general.description",
                "55M parameter dReLU chat model, the embedded default of Hearth",
            ),
            (a + "context_length", CFG["ctx"]),
            (a + "embedding_length", CFG["dim"]),
            (a + "block_count", CFG["layers"]),
            (a + "feed_forward_length", CFG["ff"]),
            (a + "attention.head_count", CFG["heads"]),
            (a + "attention.head_count_kv", CFG["kv_heads"]),
            (a + "attention.layer_norm_rms_epsilon", CFG["eps"]),
            (a + "rope.dimension_count", CFG["head_dim"]),
            (a + "rope.freq_base", CFG["theta"]),
            (a + "vocab_size", CFG["vocab"]),
            ("tokenizer.ggml.model", "gpt2"),
            ("tokenizer.ggml.pre", "gpt-2"),
            ("tokenizer.ggml.tokens", tokens),
            ("tokenizer.ggml.token_type", [3] * 3 + [1] * (len(tokens) - 3)),
            ("tokenizer.ggml.merges", merges),
            ("tokenizer.ggml.bos_token_id", 0),
            ("tokenizer.ggml.eos_token_id", 2),
            ("tokenizer.ggml.unknown_token_id", 0),
            ("tokenizer.ggml.padding_token_id", 0),
            ("tokenizer.ggml.add_bos_token", False),
            ("tokenizer.chat_template", TEMPLATE),
        ]

    mats = dict(
        q="attn_q",
        k="attn_k",
        v="attn_v",
        o="attn_output",
        gate="ffn_gate",
        up="ffn_up",
        down="ffn_down",
    )
    os.makedirs(out, exist_ok=True)
    for kind, typ, name in ((1, F16, "f16"), (7, Q8_0, "q8_0")):
        ts = [("token_embd.weight", w["embed.weight"], typ)]
        for i in range(CFG["layers"]):
            p = f"blocks.{i}."
            ts.append((f"blk.{i}.attn_norm.weight", w[p + "attn_norm.weight"], F32))
            ts += [
                (f"blk.{i}.{mats[m]}.weight", w[p + m + ".weight"], typ)
                for m in ("q", "k", "v", "o")
            ]
            ts.append((f"blk.{i}.ffn_norm.weight", w[p + "ffn_norm.weight"], F32))
            ts += [
                (f"blk.{i}.{mats[m]}.weight", w[p + m + ".weight"], typ)
                for m in ("gate", "up", "down")
            ]
        # the head is tied to the embedding; loaders of bamboo files want it as a tensor of its own
        ts += [
            ("output_norm.weight", w["norm.weight"], F32),
            ("output.weight", w["embed.weight"], typ),
        ]
        write_gguf(os.path.join(out, f"hearth-starter-{name}.gguf"), meta(kind), ts)
    if os.path.exists(os.path.join(work, "predictors.npz")):
        z = np.load(os.path.join(work, "predictors.npz"))
        write_gguf(
            os.path.join(out, "hearth-starter-predictors-q8_0.gguf"),
            [
                ("general.architecture", "bamboo"),
                ("general.name", "Hearth Starter activation predictors"),
                ("general.file_type", 7),
                (a + "block_count", CFG["layers"]),
            ],
            # elsewhere they predict too much to help
            [(k, z[k], Q8_0) for k in z.files if int(k.split(".")[1]) in range(1, 10)],
        )
    f = os.path.join(work, "activation_frequency.npy")
    if os.path.exists(f):
        np.load(f).astype("<f2").tofile(os.path.join(out, "activation_frequency.f16"))


# ---- check: read a file back and run it in numpy -------------------------------------------------
def read_gguf(path):
    """Returns (metadata, tensors as float32) of a file that write_gguf wrote."""
    b = open(path, "rb").read()
    pos = 24
    _, ver, nt, nkv = struct.unpack_from("<4sIQQ", b)
    assert ver == 3

    def take(fmt):
        nonlocal pos
        v = struct.unpack_from("<" + fmt, b, pos)
        pos += struct.calcsize("<" + fmt)
        return v[0]

    def text():
        nonlocal pos
        n = take("Q")
        pos += n
        return b[pos - n : pos].decode()

    def value(t):
        if t == 8:
            return text()
        if t == 9:
            u, n = take("I"), take("Q")
            return [value(u) for _ in range(n)]
        return take({4: "I", 5: "i", 6: "f", 7: "?"}[t])

    meta = {}
    for _ in range(nkv):
        k = text()
        meta[k] = value(take("I"))
    infos = []
    for _ in range(nt):
        n = text()
        nd = take("I")
        dims = [take("Q") for _ in range(nd)]
        infos.append((n, dims[::-1], take("I"), take("Q")))
    pos += -pos % 32
    out = {}
    for n, shape, t, off in infos:
        c = int(np.prod(shape))
        if t == Q8_0:
            r = np.frombuffer(
                b, dtype=[("d", "<f2"), ("q", "i1", 32)], count=c // 32, offset=pos + off
            )
            x = (r["d"].astype(np.float32)[:, None] * r["q"]).reshape(shape)
        elif t == Q4_0:
            r = np.frombuffer(
                b, dtype=[("d", "<f2"), ("q", "u1", 16)], count=c // 32, offset=pos + off
            )
            q = np.concatenate([r["q"] & 15, r["q"] >> 4], axis=1).astype(np.float32) - 8
            x = (r["d"].astype(np.float32)[:, None] * q).reshape(shape)
        else:
            x = (
                np.frombuffer(b, dtype="<f2" if t == F16 else "<f4", count=c, offset=pos + off)
                .astype(np.float32)
                .reshape(shape)
            )
        out[n] = x
    out.setdefault("output.weight", out["token_embd.weight"])  # tied
    return meta, out


class Numpy:
    """The model and its tokenizer in plain numpy, to check a file against the training run."""

    def __init__(self, path):
        self.meta, self.w = read_gguf(path)
        self.tokens = self.meta["tokenizer.ggml.tokens"]
        self.ids = {t: i for i, t in enumerate(self.tokens)}
        self.rank = {
            tuple(m.split(" ")): i for i, m in enumerate(self.meta["tokenizer.ggml.merges"])
        }
        bs = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
        cs = bs[:]
        for i in range(256):
            if i not in bs:
                bs.append(i)
                cs.append(256 + len(cs) - 188)
        self.byte = dict(zip(bs, map(chr, cs)))
        self.unbyte = {v: k for k, v in self.byte.items()}
        self.cache = {}

    def encode(self, text):
        # the GPT-2 pattern, with letters and digits told apart without \p classes
        """Token ids of a text without special tokens."""
        out = []
        for piece in re.findall(
            r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+", text
        ):
            if piece not in self.cache:
                p = [self.byte[c] for c in piece.encode("utf8")]
                while len(p) > 1:
                    r, i = min(
                        (self.rank.get((p[i], p[i + 1]), 1 << 30), i) for i in range(len(p) - 1)
                    )
                    if r == 1 << 30:
                        break
                    p[i : i + 2] = [p[i] + p[i + 1]]
                self.cache[piece] = [self.ids[x] for x in p]
            out += self.cache[piece]
        return out

    def decode(self, ids):
        """The text of token ids, special tokens left out."""
        return bytes(self.unbyte[c] for i in ids if i > 2 for c in self.tokens[i]).decode(
            "utf8", "replace"
        )

    def logits(self, ids, stats=None):
        """Logits [len(ids), vocab]; appends each layer's shares of active neurons to stats."""
        w, c, T = self.w, CFG, len(ids)
        norm = lambda x, g: x / np.sqrt((x * x).mean(-1, keepdims=True) + c["eps"]) * g
        ang = np.outer(np.arange(T), c["theta"] ** (-np.arange(0, 64, 2) / 64))
        cos, sin = np.cos(ang).astype(np.float32)[:, None], np.sin(ang).astype(np.float32)[:, None]

        def rot(x):
            a, b = x[..., ::2], x[..., 1::2]
            return np.stack((a * cos - b * sin, a * sin + b * cos), -1).reshape(x.shape)

        x = w["token_embd.weight"][ids]
        mask = np.triu(np.full((T, T), -np.inf, np.float32), 1)
        for i in range(c["layers"]):
            g = lambda n: w[f"blk.{i}.{n}.weight"]
            n = norm(x, g("attn_norm"))
            q, k = rot((n @ g("attn_q").T).reshape(T, 8, 64)), rot(
                (n @ g("attn_k").T).reshape(T, 4, 64)
            )
            v = (n @ g("attn_v").T).reshape(T, 4, 64)
            a = q.transpose(1, 0, 2) @ k.repeat(2, 1).transpose(1, 2, 0) / 8 + mask
            a = np.exp(a - a.max(-1, keepdims=True))
            a /= a.sum(-1, keepdims=True)
            x = (
                x
                + (a @ v.repeat(2, 1).transpose(1, 0, 2)).transpose(1, 0, 2).reshape(T, 512)
                @ g("attn_output").T
            )
            n = norm(x, g("ffn_norm"))
            gate, up = n @ g("ffn_gate").T, n @ g("ffn_up").T
            h = np.maximum(gate, 0) * np.maximum(up, 0)
            if stats is not None:
                stats.append(((h > 0).mean(), (gate > 0).mean(), (up > 0).mean()))
            x = x + h @ g("ffn_down").T
        return norm(x, w["output_norm.weight"]) @ w["output.weight"].T


def record(m, prompts, out):
    """Writes the model's own top-5 logits of the reference's prompts."""
    rows = []
    for p in prompts:
        lo = m.logits(p["tokens"])[-1]
        top = [{"token": int(i), "logit": float(lo[i])} for i in np.argsort(-lo)[:5]]
        rows.append({"prompt": p["prompt"], "tokens": p["tokens"], "top5": top})
    with open(out, "w") as f:
        json.dump({"note": "float32 arithmetic on the file's weights", "prompts": rows}, f, indent=1)
        f.write("\n")


def check(path, reference, heldout, recording):
    """Compares a file's logits with the reference and scores the held-out text."""
    m = Numpy(path)
    prompts = json.load(open(reference))["prompts"]
    if recording:
        record(m, prompts, recording)
    for p in prompts:
        ids = []
        for part in re.split(r"(<\|\w+\|>)", p["prompt"]):
            ids += [m.ids[part]] if part.startswith("<|") else m.encode(part)
        assert ids == p["tokens"], (p["prompt"], ids, p["tokens"])
        lo = m.logits(ids)[-1]
        worst = max(abs(float(lo[t["token"]]) - t["logit"]) for t in p["top5"])
        same = [int(i) for i in np.argsort(-lo)[:5]] == [t["token"] for t in p["top5"]]
        print(f"{p['prompt'][:50]!r}: largest logit difference {worst:.5f}, same top 5: {same}")
    if heldout:
        ids = m.encode(open(heldout).read())
        total = n = 0
        stats = []
        for i in range(0, len(ids) - 1, 1024):
            x, y = ids[i : i + 1024], ids[i + 1 : i + 1025]
            lo = m.logits(x[: len(y)], stats)
            mx = lo.max(-1)
            total += float(
                (
                    np.log(np.exp(lo - mx[:, None]).sum(-1, dtype=np.float64))
                    + mx
                    - lo[np.arange(len(y)), y]
                ).sum()
            )
            n += len(y)
        d = np.array(stats).reshape(-1, CFG["layers"], 3).mean(0)
        print(f"held out: {len(ids)} tokens, loss {total / n:.4f}, ppl {np.exp(total / n):.3f}")
        for i, (h, g, u) in enumerate(d):
            print(
                f"layer {i}: zero FFN values {1 - h:.4f}, gate <= 0 {1 - g:.4f}, up <= 0"
                f" {1 - u:.4f}"
            )


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--work", help="folder of the training run")
    ap.add_argument("--out", help="folder for the GGUF files")
    ap.add_argument("--check", help="GGUF file to read back and run")
    ap.add_argument("--reference", help="reference.json of the training run")
    ap.add_argument("--heldout", help="text to score")
    ap.add_argument("--record", help="with --check: where to write this file's own reference")
    a = ap.parse_args()
    if a.check:
        check(a.check, a.reference, a.heldout, a.record)
    else:
        export(a.work, a.out)
