#!/usr/bin/env python3
"""Train the Hearth starter model, a small ReLU-sparse chat model.

Its architecture is "bamboo", as in PowerInfer.

usage: train.py PHASE --data DIR --work DIR     PHASE: tokens, pretrain, chat, eval (in this order)

--data holds docs.jsonl, chat.jsonl and heldout.txt of prepare_data.py; everything is written to
--work. Schedules follow the clock: --minutes is the budget of the pretrain phase on a single H200.
"""
import argparse
import json
import math
import os
import random
import time
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

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
EOT, IM_START, IM_END = 0, 1, 2
DEV = "cuda" if torch.cuda.is_available() else "cpu"


# ---- model ---------------------------------------------------------------------------------------
class RMSNorm(nn.Module):
    """x / sqrt(mean(x^2) + eps) * weight, computed in float32."""

    def __init__(self, dim, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(dim)), eps

    def forward(self, x):
        f = x.float()
        return (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight).to(
            x.dtype
        )


def rotate(x, cos, sin):
    """Rotary embedding on neighbouring pairs (2i, 2i+1), as GGUF llama and bamboo files have it."""
    a, b = x.float().unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2).to(x.dtype)


class Block(nn.Module):
    """One layer: attention with grouped heads, then the dReLU feed-forward block."""

    def __init__(self, c):
        super().__init__()
        d, hd = c["dim"], c["head_dim"]
        self.h, self.kv, self.hd = c["heads"], c["kv_heads"], hd
        self.attn_norm, self.ffn_norm = RMSNorm(d, c["eps"]), RMSNorm(d, c["eps"])
        self.q = nn.Linear(d, self.h * hd, bias=False)
        self.k = nn.Linear(d, self.kv * hd, bias=False)
        self.v = nn.Linear(d, self.kv * hd, bias=False)
        self.o = nn.Linear(self.h * hd, d, bias=False)
        self.gate = nn.Linear(d, c["ff"], bias=False)
        self.up = nn.Linear(d, c["ff"], bias=False)
        self.down = nn.Linear(c["ff"], d, bias=False)

    def forward(self, x, cos, sin, mask):
        """Returns (output, mean |h|, share of h above 0, normed FFN input, h)."""
        B, T, _ = x.shape
        n = self.attn_norm(x)
        q = rotate(self.q(n).view(B, T, self.h, self.hd).transpose(1, 2), cos, sin)
        k = rotate(self.k(n).view(B, T, self.kv, self.hd).transpose(1, 2), cos, sin)
        v = self.v(n).view(B, T, self.kv, self.hd).transpose(1, 2)
        r = self.h // self.kv
        k, v = k.repeat_interleave(r, 1), v.repeat_interleave(r, 1)
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        x = x + self.o(a.transpose(1, 2).reshape(B, T, -1))
        n = self.ffn_norm(x)
        h = F.relu(self.gate(n)) * F.relu(self.up(n))  # dReLU: mostly exact zeros
        hf = h.float()
        return x + self.down(h), hf.mean(), (hf > 0).float().mean(), n, h


class Model(nn.Module):
    """The decoder; the head is tied to the embedding."""

    def __init__(self, c=CFG):
        super().__init__()
        self.c = c
        self.embed = nn.Embedding(c["vocab"], c["dim"])
        self.blocks = nn.ModuleList(Block(c) for _ in range(c["layers"]))
        self.norm = RMSNorm(c["dim"], c["eps"])
        inv = c["theta"] ** (-torch.arange(0, c["head_dim"], 2).double() / c["head_dim"])
        ang = torch.outer(torch.arange(c["ctx"]).double(), inv)
        self.register_buffer("cos", ang.cos().float(), persistent=False)
        self.register_buffer("sin", ang.sin().float(), persistent=False)
        for n, p in self.named_parameters():
            if p.dim() == 2:
                nn.init.normal_(
                    p, std=0.03 if "embed" in n else 0.04 if "gate" in n or "up" in n else 0.02
                )
        for b in self.blocks:
            nn.init.zeros_(b.o.weight)
            nn.init.zeros_(b.down.weight)

    def forward(self, idx, mask=None, keep=False):
        """Returns (logits, L1 of the hidden layers, density per layer, kept layer values)."""
        T = idx.shape[1]
        x, l1, dens, kept = self.embed(idx), 0.0, [], []
        for b in self.blocks:
            x, m, d, n, h = b(x, self.cos[:T], self.sin[:T], mask)
            l1 = l1 + m
            dens.append(d)
            if keep:
                kept.append((n, h))
        return (
            F.linear(self.norm(x), self.embed.weight),
            l1 / len(self.blocks),
            torch.stack(dens),
            kept,
        )


def loss_fn(model, idx, tgt, lam, mask=None):
    """Returns (loss with the L1 penalty, cross entropy, density per layer)."""
    with torch.autocast(DEV, dtype=torch.bfloat16):
        logits, l1, dens, _ = model(idx, mask)
    ce = F.cross_entropy(logits.float().flatten(0, 1), tgt.flatten(), ignore_index=-1)
    return ce + lam * l1, ce.detach(), dens.detach()


# ---- optimizer: Muon for matrices, AdamW for the rest --------------------------------------------
def orthogonalise(g):
    """Muon's step: five Newton-Schulz iterations towards the nearest orthogonal matrix."""
    x = g.bfloat16()
    flip = x.size(-2) > x.size(-1)
    if flip:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(5):
        a = x @ x.mT
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x.mT if flip else x


class Optimizer:
    """Muon for the matrices, grouped by shape, and AdamW for the embedding and norms."""

    def __init__(self, model, lr=0.02, adam_lr=2e-3, wd=0.04):
        mats = [p for n, p in model.named_parameters() if p.dim() == 2 and "embed" not in n]
        rest = [p for n, p in model.named_parameters() if p.dim() != 2]
        self.groups = {}
        for p in mats:
            self.groups.setdefault(tuple(p.shape), []).append(p)
        self.mom = {s: torch.zeros(len(ps), *s, device=DEV) for s, ps in self.groups.items()}
        self.lr, self.adam_lr, self.wd = lr, adam_lr, wd
        self.adam = torch.optim.AdamW(
            [
                dict(params=[model.embed.weight], weight_decay=0.05),
                dict(params=rest, weight_decay=0.0),
            ],
            lr=adam_lr,
            betas=(0.9, 0.95),
            fused=DEV == "cuda",
        )
        self.update = torch.compile(orthogonalise) if DEV == "cuda" else orthogonalise

    @torch.no_grad()
    def step(self, scale):
        """Updates all weights; scale multiplies both learning rates."""
        for s, ps in self.groups.items():
            g = torch.stack([p.grad for p in ps])
            m = self.mom[s]
            m.lerp_(g, 0.05)
            u = self.update(g.lerp(m, 0.95)).float()
            lr = self.lr * scale
            for p, d in zip(ps, u):
                p.mul_(1 - lr * self.wd).add_(d, alpha=-lr * max(1, s[0] / s[1]) ** 0.5)
        for g in self.adam.param_groups:
            g["lr"] = self.adam_lr * scale
        self.adam.step()


# ---- phase: tokens -------------------------------------------------------------------------------
def encode_chat(tok, messages):
    """Token ids, and the mask of those that are learned: assistant text and its end mark."""
    ids, mask = [], []
    for role, text in messages:
        head, body = [IM_START] + tok.encode(role + "\n").ids, tok.encode(text).ids + [IM_END]
        tail = tok.encode("\n").ids
        ids += head + body + tail
        mask += [0] * len(head) + [int(role == "assistant")] * len(body) + [0] * len(tail)
    return ids, mask


def phase_tokens(a):
    """Trains the tokenizer and writes the corpora as token ids."""
    from tokenizers import Tokenizer, models, pre_tokenizers, decoders, trainers

    docs = [json.loads(l)["t"] for l in open(os.path.join(a.data, "docs.jsonl"))]
    chats = [json.loads(l) for l in open(os.path.join(a.data, "chat.jsonl"))]
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tok.decoder = decoders.ByteLevel()
    sample = docs[::2] + ["\n".join(t for _, t in c["m"]) for c in chats] * 2
    tok.train_from_iterator(
        sample,
        trainers.BpeTrainer(
            vocab_size=CFG["vocab"],
            special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    tok.save(os.path.join(a.work, "tokenizer.json"))
    print("vocab", tok.get_vocab_size(), flush=True)
    out = []
    for i in range(0, len(docs), 2000):
        for e in tok.encode_batch(docs[i : i + 2000]):
            out.append(np.array([EOT] + e.ids, dtype=np.uint16))
    arr = np.concatenate(out)
    arr.tofile(os.path.join(a.work, "docs.bin"))
    rng = random.Random(1)
    pool, sft = [], []
    for c in chats:
        ids, mask = encode_chat(tok, c["m"])
        pool.append(np.array([EOT] + ids, dtype=np.uint16))
        sft += [(ids, mask)] * c["w"]
    rng.shuffle(pool)
    rng.shuffle(sft)
    chat = np.concatenate(pool)
    chat.tofile(os.path.join(a.work, "chat.bin"))
    # conversations packed into rows of 512 tokens; "seg" keeps them apart in attention
    T, rows, ids, seg, msk, n = 512, [], [], [], [], 0
    for i, m in sft:
        i, m = i[:T], m[:T]
        if len(ids) + len(i) > T:
            pad = T - len(ids)
            rows.append((ids + [EOT] * pad, seg + [0] * pad, msk + [0] * pad))
            ids, seg, msk, n = [], [], [], 0
        n += 1
        ids, seg, msk = ids + i, seg + [n] * len(i), msk + m
    np.savez(
        os.path.join(a.work, "sft.npz"),
        ids=np.array([r[0] for r in rows], dtype=np.uint16),
        seg=np.array([r[1] for r in rows], dtype=np.uint8),
        mask=np.array([r[2] for r in rows], dtype=np.uint8),
    )
    held = tok.encode(open(os.path.join(a.data, "heldout.txt")).read()).ids
    np.array(held, dtype=np.uint16).tofile(os.path.join(a.work, "heldout.bin"))
    print(
        (
            f"docs {len(arr) / 1e6:.2f} M tokens, chat pool {len(chat) / 1e6:.2f} M, chat rows"
            f" {len(rows)} x {T}, held out {len(held)}"
        ),
        flush=True,
    )


# ---- phases: pretrain, chat ----------------------------------------------------------------------
def batches(arr, rows, T):
    """Random windows of T + 1 tokens, [rows, T + 1]."""
    s = torch.randint(len(arr) - T - 1, (rows,)).tolist()
    x = torch.from_numpy(np.stack([arr[i : i + T + 1] for i in s]).astype(np.int64))
    return x


@torch.no_grad()
def heldout_loss(model, a, T=1024, dtype=torch.bfloat16):
    """Returns (loss per token, density per layer) on the held-out text."""
    t = torch.from_numpy(
        np.fromfile(os.path.join(a.work, "heldout.bin"), dtype=np.uint16).astype(np.int64)
    ).to(DEV)
    total = n = 0
    dens = []
    for i in range(0, len(t) - 1, T):
        x, y = t[i : i + T][: len(t) - 1 - i], t[i + 1 : i + T + 1]
        with torch.autocast(DEV, dtype=torch.bfloat16, enabled=dtype == torch.bfloat16):
            lo, _, d, _ = model(x[None])
        total += F.cross_entropy(lo[0].float(), y, reduction="sum").item()
        n += len(y)
        dens.append(d)
    return total / n, torch.stack(dens).mean(0).tolist()


def control(lam, dens, target):
    """Raises the L1 weight while the hidden layer is denser than the target, by steps of 1 %."""
    return min(max(lam * (1.01 if dens > target else 0.99), 1e-4), 20.0)


def phase_pretrain(a):
    """Trains on prose and conversations until the time is up."""
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(1)
    docs, chat = (
        np.fromfile(os.path.join(a.work, f), dtype=np.uint16) for f in ("docs.bin", "chat.bin")
    )
    model = Model().to(DEV)
    print("parameters", sum(p.numel() for p in model.parameters()), flush=True)
    opt, fn = Optimizer(model), torch.compile(loss_fn) if DEV == "cuda" else loss_fn
    T, micro, accum = CFG["ctx"], a.micro, a.accum
    lam, step, start, seen, best = 0.02, 0, None, 0, None
    lamt = torch.zeros((), device=DEV)
    log = open(os.path.join(a.work, "pretrain.log"), "w")
    while True:
        prog = 0.0 if start is None else (time.time() - start) / (a.minutes * 60)
        if prog >= 1:
            break
        scale = min(1.0, (step + 1) / 100) * min(1.0, (1 - prog) / 0.4 + 0.01)
        lamt.fill_(lam if prog > 0.04 else 0.0)
        nchat = int(micro * (0.14 if prog < 0.65 else 0.30))
        ce = dens = 0
        for _ in range(accum):
            x = (
                torch.cat([batches(docs, micro - nchat, T), batches(chat, nchat, T)])
                .pin_memory()
                .to(DEV, non_blocking=True)
                if DEV == "cuda"
                else torch.cat([batches(docs, micro - nchat, T), batches(chat, nchat, T)])
            )
            loss, c, d = fn(model, x[:, :-1].contiguous(), x[:, 1:].contiguous(), lamt)
            (loss / accum).backward()
            ce, dens = ce + c / accum, dens + d / accum
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step(scale)
        for p in model.parameters():
            p.grad = None
        step += 1
        seen += micro * accum * T
        if start is None:
            if step == 3:
                start = time.time()
            continue
        if step % 10 == 0:
            dm = dens.mean().item()
            for _ in range(10):
                lam = control(lam, dm, a.density) if prog > 0.04 else lam
        if step % 50 == 0:
            line = (
                f"step {step} prog {prog:.3f} loss {ce.item():.4f} density {dm:.4f} l1"
                f" {lam:.4f} tokens {seen / 1e6:.0f}M  {seen / (time.time() - start) / 1e3:.0f} k"
                " tok/s"
            )
            if step % 300 == 0:
                line += f"  heldout {heldout_loss(model, a)[0]:.4f}"
                torch.save(
                    {k: v.half() for k, v in model.state_dict().items()},
                    os.path.join(a.work, "base_f16.pt"),
                )
            print(line, flush=True)
            log.write(line + "\n")
            log.flush()
    h, d = heldout_loss(model, a)
    torch.save(model.state_dict(), os.path.join(a.work, "base.pt"))
    info = dict(
        steps=step,
        tokens=seen,
        seconds=time.time() - start,
        tokens_per_second=seen / (time.time() - start),
        train_loss=ce.item(),
        heldout_loss=h,
        heldout_ppl=math.exp(h),
        density=d,
        l1=lam,
    )
    json.dump(info, open(os.path.join(a.work, "pretrain.json"), "w"), indent=1)
    print("pretrain done", json.dumps(info), flush=True)


def phase_chat(a):
    """Fine-tunes on conversations; the loss counts the assistant's turns and some prose."""
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(2)
    info = json.load(open(os.path.join(a.work, "pretrain.json")))
    docs = np.fromfile(os.path.join(a.work, "docs.bin"), dtype=np.uint16)
    z = np.load(os.path.join(a.work, "sft.npz"))
    ids, seg, msk = (torch.from_numpy(z[k].astype(np.int64)) for k in ("ids", "seg", "mask"))
    model = Model().to(DEV)
    model.load_state_dict(torch.load(os.path.join(a.work, "base.pt"), map_location=DEV))
    opt, fn = Optimizer(model, lr=0.004, adam_lr=4e-4, wd=0.02), (
        torch.compile(loss_fn) if DEV == "cuda" else loss_fn
    )
    T, rows, plain = ids.shape[1], 48, 16
    per = len(ids) // rows
    steps = per * a.epochs
    lam, lamt, seen = info["l1"], torch.zeros((), device=DEV), 0
    causal = torch.ones(T, T, dtype=torch.bool, device=DEV).tril()
    t0 = time.time()
    for step in range(steps):
        if step % per == 0:
            order = torch.randperm(len(ids))
        o = order[(step % per) * rows : (step % per + 1) * rows]
        x, s, m = ids[o].to(DEV), seg[o].to(DEV), msk[o].to(DEV)
        y = torch.where(m[:, 1:] > 0, x[:, 1:], -1)
        y = torch.cat([y, torch.full_like(y[:, :1], -1)], 1)
        p = batches(docs, plain, T).to(DEV)
        x, y = torch.cat([x, p[:, :-1]]), torch.cat([y, p[:, 1:]])
        s = torch.cat([s, torch.ones_like(p[:, :-1])])
        mask = ((s[:, :, None] == s[:, None, :]) & causal)[:, None]
        lamt.fill_(lam)
        loss, ce, dens = fn(model, x, y, lamt, mask)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step(min(1, (step + 1) / 20) * (1 - step / steps))
        for p_ in model.parameters():
            p_.grad = None
        seen += x.numel()
        if step % 10 == 0:
            dm = dens.mean().item()
            for _ in range(10):
                lam = control(lam, dm, a.density)
        if step % 50 == 0:
            print(
                (
                    f"chat step {step}/{steps} loss {ce.item():.4f} density {dm:.4f} l1"
                    f" {lam:.4f} {time.time() - t0:.0f}s"
                ),
                flush=True,
            )
    h, d = heldout_loss(model, a)
    torch.save(
        {k: v.half() for k, v in model.state_dict().items()}, os.path.join(a.work, "final_f16.pt")
    )
    out = dict(
        steps=steps,
        epochs=a.epochs,
        tokens=seen,
        seconds=time.time() - t0,
        train_loss=ce.item(),
        heldout_loss=h,
        heldout_ppl=math.exp(h),
        density=d,
    )
    json.dump(out, open(os.path.join(a.work, "chat.json"), "w"), indent=1)
    print("chat done", json.dumps(out), flush=True)


# ---- phase: eval ---------------------------------------------------------------------------------
DIALOGUES = [
    "Hello!",
    "Who are you?",
    "Why is the sky blue?",
    "Tell me a short story.",
    "What is the capital of France?",
    "How can I get a larger model?",
]
PROMPTS = [
    "Once upon a time",
    "The capital of France is",
    "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n",
    "<|im_start|>user\nWhat is gravity?<|im_end|>\n<|im_start|>assistant\n",
    "Water is a clear liquid that",
]


def split_encode(tok, text):
    """Token ids of a text in which special tokens are written out."""
    import re

    ids = []
    for part in re.split(r"(<\|endoftext\|>|<\|im_start\|>|<\|im_end\|>)", text):
        ids += (
            [["<|endoftext|>", "<|im_start|>", "<|im_end|>"].index(part)]
            if part.startswith("<|")
            else tok.encode(part).ids if part else []
        )
    return ids


@torch.no_grad()
def generate(model, ids, n=160):
    """Continues ids greedily by at most n tokens."""
    ids = list(ids)
    start = len(ids)
    while len(ids) < start + n:
        lo = model(torch.tensor([ids], device=DEV))[0][0, -1]
        t = int(lo.argmax())
        if t in (EOT, IM_END):
            break
        ids.append(t)
    return ids[start:]


def phase_eval(a):
    """Scores the result, writes reference logits and samples, and trains the predictors."""
    from tokenizers import Tokenizer

    torch.backends.cuda.matmul.allow_tf32 = False
    tok = Tokenizer.from_file(os.path.join(a.work, "tokenizer.json"))
    model = Model().to(DEV).float()
    model.load_state_dict(
        {
            k: v.float()
            for k, v in torch.load(os.path.join(a.work, "final_f16.pt"), map_location=DEV).items()
        }
    )
    model.eval()
    rep = {
        "pretrain": json.load(open(os.path.join(a.work, "pretrain.json"))),
        "chat": json.load(open(os.path.join(a.work, "chat.json"))),
    }
    h, d = heldout_loss(model, a, dtype=torch.float32)
    nbytes = os.path.getsize(os.path.join(a.data, "heldout.txt"))
    ntok = os.path.getsize(os.path.join(a.work, "heldout.bin")) // 2
    rep["heldout"] = dict(
        weights="f16",
        arithmetic="f32",
        window=1024,
        tokens=ntok,
        bytes=nbytes,
        loss=h,
        ppl=math.exp(h),
        bits_per_byte=h * ntok / nbytes / math.log(2),
        sparsity=[1 - x for x in d],
    )
    ref = []
    for p in PROMPTS:
        ids = split_encode(tok, p)
        with torch.no_grad():
            lo = model(torch.tensor([ids], device=DEV))[0][0, -1].double()
        top = lo.topk(5)
        ref.append(
            dict(
                prompt=p,
                tokens=ids,
                top5=[
                    dict(token=int(i), piece=tok.id_to_token(int(i)), logit=float(v))
                    for v, i in zip(*top)
                ],
                greedy_16=generate(model, ids, 16),
            )
        )
    json.dump(
        dict(
            note="float32 arithmetic on the F16 weights; positions start at 0; no begin token",
            prompts=ref,
        ),
        open(os.path.join(a.work, "reference.json"), "w"),
        indent=1,
    )
    rep["dialogues"] = []
    for q in DIALOGUES + [
        "What does brave mean?",
        "What is 7 + 5?",
        "I feel sad today.",
        "My name is Anna.",
        "What is an ocean?",
        "Can you make mistakes?",
        "What is photosynthesis?",
        "Write a poem about the sea.",
        "Who wrote Hamlet?",
        "What should I cook tonight?",
    ]:
        ids = split_encode(tok, f"<|im_start|>user\n{q}<|im_end|>\n<|im_start|>assistant\n")
        rep["dialogues"].append([q, tok.decode(generate(model, ids))])
        print("Q:", q, "\nA:", rep["dialogues"][-1][1], flush=True)
    # activation statistics on 262144 training tokens (half prose, half conversations)
    docs, chat = (
        np.fromfile(os.path.join(a.work, f), dtype=np.uint16) for f in ("docs.bin", "chat.bin")
    )
    torch.manual_seed(3)
    x = torch.cat([batches(docs, 160, 1024), batches(chat, 160, 1024)])[torch.randperm(320)][
        :, :-1
    ].to(DEV)
    L, ff = CFG["layers"], CFG["ff"]
    N = [torch.empty(x.numel(), CFG["dim"], dtype=torch.bfloat16, device=DEV) for _ in range(L)]
    A = [torch.empty(x.numel(), ff, dtype=torch.bool, device=DEV) for _ in range(L)]
    with torch.no_grad():
        for i in range(0, len(x), 8):
            kept = model(x[i : i + 8], keep=True)[3]
            for l, (n, hh) in enumerate(kept):
                N[l][i * 1024 : (i + 8) * 1024] = n.flatten(0, 1)
                A[l][i * 1024 : (i + 8) * 1024] = hh.flatten(0, 1) > 0
    freq = torch.stack([m.float().mean(0) for m in A])
    np.save(os.path.join(a.work, "activation_frequency.npy"), freq.cpu().numpy().astype(np.float16))
    edges = [0, 1e-6, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.01]
    rep["activation"] = dict(
        tokens=x.numel(),
        sparsity=[1 - float(f.mean()) for f in freq],
        edges=edges,
        histogram=[
            [int(((f >= lo) & (f < hi)).sum()) for lo, hi in zip(edges, edges[1:])] for f in freq
        ],
        share_of_activations_of_hottest_20_percent=[
            float(f.sort(descending=True)[0][: ff // 5].sum() / f.sum()) for f in freq
        ],
    )
    # low-rank predictors of the active neurons
    r, preds, rep["predictors"] = a.rank, {}, []
    cut = x.numel() * 15 // 16
    t0 = time.time()
    for l in range(L):
        torch.manual_seed(l)
        w1 = (torch.randn(r, CFG["dim"], device=DEV) * CFG["dim"] ** -0.5).requires_grad_()
        w2 = (torch.randn(ff, r, device=DEV) * 0.02).requires_grad_()
        opt = torch.optim.AdamW([w1, w2], lr=4e-3, weight_decay=0.0, fused=DEV == "cuda")
        pw = torch.full((ff,), 16.0, device=DEV)  # recall matters more than precision
        steps = a.predictor_steps
        for s in range(steps):
            for g in opt.param_groups:
                g["lr"] = 4e-3 * (1 - s / steps)
            i = torch.randint(cut, (8192,), device=DEV)
            with torch.autocast(DEV, dtype=torch.bfloat16):
                z = F.linear(F.relu(F.linear(N[l][i], w1)), w2)
            loss = F.binary_cross_entropy_with_logits(z.float(), A[l][i].float(), pos_weight=pw)
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            p = (
                F.linear(F.relu(F.linear(N[l][cut:].float(), w1.half().float())), w2.half().float())
                > 0
            )
            t = A[l][cut:]
            tp = (p & t).sum().item()
            rep["predictors"].append(
                dict(
                    layer=l,
                    rank=r,
                    recall=tp / t.sum().item(),
                    precision=tp / max(1, p.sum().item()),
                    predicted_active=p.float().mean().item(),
                    active=t.float().mean().item(),
                )
            )
        preds[f"blk.{l}.fc1.weight"], preds[f"blk.{l}.fc2.weight"] = (
            w1.detach().half().cpu().numpy(),
            w2.detach().half().cpu().numpy(),
        )
        print(rep["predictors"][-1], f"{time.time() - t0:.0f}s", flush=True)
        json.dump(rep, open(os.path.join(a.work, "report.json"), "w"), indent=1)
    np.savez(os.path.join(a.work, "predictors.npz"), **preds)
    print("eval done", json.dumps(rep["heldout"]), flush=True)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("phase", choices=["tokens", "pretrain", "chat", "eval"])
    ap.add_argument("--data", required=True)
    ap.add_argument("--work", required=True)
    ap.add_argument("--minutes", type=float, default=9.3)
    ap.add_argument("--micro", type=int, default=64)
    ap.add_argument("--accum", type=int, default=4)
    ap.add_argument(
        "--density", type=float, default=0.08, help="target share of active FFN neurons"
    )
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--rank", type=int, default=96)
    ap.add_argument("--predictor-steps", type=int, default=2500)
    a = ap.parse_args()
    os.makedirs(a.work, exist_ok=True)
    globals()["phase_" + a.phase](a)
