#!/usr/bin/env python3
"""Build the text corpus of the Hearth starter model from clones of public repositories.

usage: prepare_data.py --repos DIR --out DIR

DIR/OWNER+NAME (or DIR/OWNER+NAME/repo) is a clone, bare or not, of github.com/OWNER/NAME.
Missing clones are skipped. Writes to --out:
  docs.jsonl     {"s": source, "t": text}                    plain text documents
  chat.jsonl     {"s": source, "w": weight, "m": [[role, text], ...]}   conversations
  heldout.txt    documents kept out of docs.jsonl, for perplexity
  sources.json   bytes and documents per source
Licences are in MODEL_CARD.md.
"""
import argparse
import collections
import csv
import html
import io
import json
import os
import random
import re
import subprocess
import sys
import zlib
from xml.etree import ElementTree as ET

csv.field_size_limit(1 << 30)


class Repo:
    """A clone of a public repository, read through git."""

    def __init__(self, root, name):
        base = os.path.join(root, name.replace("/", "+"))
        self.dir = next(
            (
                p
                for p in (base + "/repo/.git", base + "/repo", base + "/.git", base)
                if os.path.exists(p + "/HEAD")
            ),
            None,
        )

    def files(self, pattern):
        """Yields (path, bytes) of every stored file whose path matches the pattern."""
        if not self.dir:
            return
        ls = subprocess.run(
            ["git", "-C", self.dir, "ls-tree", "-r", "-l", "-z", "HEAD"], capture_output=True
        ).stdout.decode("utf8", "replace")
        want = []
        for row in ls.split("\0"):
            if "\t" in row:
                meta, path = row.split("\t", 1)
                _, kind, sha, size = meta.split()
                if kind == "blob" and size.isdigit() and re.search(pattern, path):
                    want.append((path, sha))
        cat = subprocess.Popen(
            ["git", "-C", self.dir, "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for path, sha in want:
            cat.stdin.write((sha + "\n").encode())
            cat.stdin.flush()
            head = cat.stdout.readline().split()
            if len(head) < 3 or not head[2].isdigit():
                continue
            data = cat.stdout.read(int(head[2]))
            cat.stdout.read(1)
            yield path, data
        cat.stdin.close()
        cat.wait()


def tidy(text):
    """Plain quotes, dashes and blanks; no entities."""
    text = html.unescape(text).replace("\u2060", "").replace("\u00ad", "").replace("\ufeff", "")
    text = (
        text.replace("\u2018", "'")
        .replace("\u2019", "'")
        .replace("\u201c", '"')
        .replace("\u201d", '"')
    )
    text = re.sub(r"[\u00a0\u2000-\u200b\u202f]", " ", text)
    text = text.replace("\u2014", " - ").replace("\u2013", "-").replace("\u2026", "...")
    text = re.sub(r"[ \t]+", " ", text)
    text = re.sub(r" *\n *", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


# ---- plain text sources --------------------------------------------------------------------------
STANDARD_EBOOKS = """
a-a-milne_winnie-the-pooh aesop_fables_v-s-vernon-jones
agatha-christie_the-murder-of-roger-ackroyd agatha-christie_the-mysterious-affair-at-styles
agatha-christie_the-secret-adversary alexandre-dumas_the-count-of-monte-cristo_chapman-and-hall
anna-sewell_black-beauty anton-chekhov_short-fiction_constance-garnett
arthur-conan-doyle_the-adventures-of-sherlock-holmes
arthur-conan-doyle_the-hound-of-the-baskervilles arthur-conan-doyle_the-lost-world
arthur-conan-doyle_the-memoirs-of-sherlock-holmes
arthur-conan-doyle_the-return-of-sherlock-holmes
benjamin-franklin_the-autobiography-of-benjamin-franklin
bertrand-russell_the-problems-of-philosophy bram-stoker_dracula
charles-dickens_a-christmas-carol charles-dickens_david-copperfield
charles-dickens_great-expectations dorothy-l-sayers_whose-body e-m-forster_howards-end
e-nesbit_five-children-and-it e-nesbit_the-railway-children
edgar-rice-burroughs_a-princess-of-mars edgar-rice-burroughs_tarzan-of-the-apes
eleanor-h-porter_pollyanna ernest-hemingway_the-sun-also-rises f-scott-fitzgerald_short-fiction
f-scott-fitzgerald_the-great-gatsby frances-hodgson-burnett_a-little-princess
frances-hodgson-burnett_the-secret-garden frederik-pohl_short-fiction fritz-leiber_short-fiction
fyodor-dostoevsky_crime-and-punishment_constance-garnett
g-k-chesterton_the-innocence-of-father-brown h-beam-piper_short-fiction h-g-wells_short-fiction
h-g-wells_the-time-machine h-g-wells_the-war-of-the-worlds helen-keller_the-story-of-my-life
hugh-lofting_the-voyages-of-doctor-dolittle j-m-barrie_peter-and-wendy jack-london_short-fiction
jack-london_the-call-of-the-wild jack-london_white-fang jane-austen_emma
jane-austen_pride-and-prejudice jerome-k-jerome_three-men-in-a-boat
jules-verne_around-the-world-in-eighty-days_george-makepeace-towle
jules-verne_twenty-thousand-leagues-under-the-seas_f-p-walter
kenneth-grahame_the-wind-in-the-willows l-frank-baum_ozma-of-oz
l-frank-baum_the-marvelous-land-of-oz l-frank-baum_the-wonderful-wizard-of-oz
l-m-montgomery_anne-of-avonlea l-m-montgomery_anne-of-green-gables
l-m-montgomery_anne-of-the-island leo-tolstoy_anna-karenina_constance-garnett
leo-tolstoy_war-and-peace_louise-maude_aylmer-maude
lewis-carroll_alices-adventures-in-wonderland_john-tenniel louisa-may-alcott_little-women
mark-twain_the-adventures-of-huckleberry-finn mark-twain_the-adventures-of-tom-sawyer
o-henry_short-fiction p-g-wodehouse_a-damsel-in-distress p-g-wodehouse_leave-it-to-psmith
p-g-wodehouse_psmith-journalist p-g-wodehouse_right-ho-jeeves p-g-wodehouse_short-fiction
philip-k-dick_short-fiction poul-anderson_short-fiction ray-bradbury_short-fiction
robert-louis-stevenson_treasure-island robert-sheckley_short-fiction
rudyard-kipling_the-jungle-book saki_short-fiction sinclair-lewis_babbitt
w-somerset-maugham_of-human-bondage wilkie-collins_the-moonstone willa-cather_my-antonia
alexandre-dumas_the-three-musketeers_william-robson charles-dickens_bleak-house
charles-dickens_oliver-twist charles-dickens_the-pickwick-papers charlotte-bronte_jane-eyre
edith-wharton_the-age-of-innocence fyodor-dostoevsky_the-brothers-karamazov_constance-garnett
george-eliot_middlemarch h-g-wells_the-invisible-man h-rider-haggard_king-solomons-mines
henry-james_the-portrait-of-a-lady herman-melville_moby-dick jack-london_martin-eden
jack-london_the-sea-wolf mark-twain_roughing-it mark-twain_the-innocents-abroad
miguel-de-cervantes-saavedra_don-quixote_john-ormsby p-g-wodehouse_mike
p-g-wodehouse_piccadilly-jim rafael-sabatini_captain-blood robert-louis-stevenson_kidnapped
sinclair-lewis_arrowsmith sinclair-lewis_main-street theodore-dreiser_an-american-tragedy
theodore-dreiser_sister-carrie upton-sinclair_the-jungle
victor-hugo_les-miserables_isabel-f-hapgood zane-grey_riders-of-the-purple-sage
""".split()

# Only the books whose collection and LICENSE file both say CC BY 4.0; the others are non-commercial
# by now.
OPENSTAX = """
college-success introduction-anthropology life-liberty-and-pursuit-happiness
nursing-external-bundle physics principles-economics-bundle
""".split()


def standard_ebooks(root):
    """Yields the chapters of the books above."""
    skip = re.compile(
        r"(titlepage|imprint|colophon|uncopyright|endnotes|dedication|epigraph|loi|halftitle"
        r"|frontispiece|glossary)"
    )
    for book in STANDARD_EBOOKS:
        for path, data in Repo(root, "standardebooks/" + book).files(r"src/epub/text/.*\.xhtml$"):
            if skip.search(os.path.basename(path)):
                continue
            x = data.decode("utf8", "replace")
            x = re.sub(r"(?s)<head>.*?</head>|<a [^>]*noteref[^>]*>.*?</a>", "", x)
            x = re.sub(r"\s*\n\s*", " ", x)
            x = re.sub(r"</(p|h\d|header|blockquote|li|tr|section|article)>|<br/>", "\n\n", x)
            text = tidy(re.sub(r"<[^>]+>", "", x))
            if len(text) > 400:
                yield text


CNX = "{http://cnx.rice.edu/cnxml}"
DROP = {
    CNX + t
    for t in (
        "exercise",
        "problem",
        "figure",
        "table",
        "metadata",
        "glossary",
        "equation",
        "media",
        "footnote",
        "title-page",
    )
}


def flat(el):
    """Returns the inline text of a CNXML element, without its mathematics."""
    if not isinstance(el.tag, str) or "MathML" in el.tag or el.tag in DROP:
        return " " if el.tag not in DROP else ""
    return (el.text or "") + "".join(flat(c) + (c.tail or "") for c in el)


def openstax(root, glossary):
    """Yields the textbooks' modules; appends (term, meaning) to glossary."""
    for name in OPENSTAX:
        repo = Repo(root, "openstax/osbooks-" + name)
        if any(b"by-nc" in d for _, d in repo.files(r"collections/.*\.xml$")):
            print("skipped, non-commercial:", name, file=sys.stderr)
            continue
        for path, data in repo.files(r"modules/.*/index\.cnxml$"):
            try:
                doc = ET.fromstring(data)
            except ET.ParseError:
                continue
            for d in doc.iter(CNX + "definition"):
                term, mean = d.find(CNX + "term"), d.find(CNX + "meaning")
                if term is not None and mean is not None:
                    glossary.append((tidy(flat(term)), tidy(flat(mean))))
            out, maths = (
                [tidy(flat(doc.find(CNX + "title")))] if doc.find(CNX + "title") is not None else []
            ), 0

            def walk(el):
                nonlocal maths
                for c in el:
                    if c.tag in DROP or (
                        c.tag == CNX + "note" and "link" in (c.get("class") or "")
                    ):
                        continue
                    if c.tag == CNX + "title":
                        out.append(tidy(flat(c)))
                    elif c.tag == CNX + "para":
                        n = sum("MathML" in str(e.tag) for e in c.iter())
                        maths += n
                        if n == 0:
                            out.append(re.sub(r"\s*\n\s*", " ", tidy(flat(c))))
                    elif c.tag == CNX + "item":
                        out.append("- " + re.sub(r"\s*\n\s*", " ", tidy(flat(c))))
                    else:
                        walk(c)

            content = doc.find(CNX + "content")
            if content is not None:
                walk(content)
            text = "\n\n".join(t for t in out if t and t != "-")
            if len(text) > 800:
                yield text


def wikipedia(root, limit):
    """Yields articles until limit characters."""
    total, seen = 0, set()
    for name, pat in (
        ("tusizi/topic-analyzer", r"data/AA/wiki_\d+$"),
        ("Vibhas-hs-edu/WikiTasks", r"text/AA/wiki_\d+$"),
    ):
        for _, data in Repo(root, name).files(pat):
            for m in re.finditer(
                r"(?s)<doc [^>]*title=\"([^\"]*)\"[^>]*>\s*(.*?)</doc>",
                data.decode("utf8", "replace"),
            ):
                text = tidy(re.sub(r"<[^>]+>", "", m[2]))
                text = re.sub(r"\(\s*[;,]\s*", "(", text).replace("()", "")
                if (
                    len(text) < 600
                    or "may refer to" in text[:200]
                    or text in seen
                    or sum(ord(c) > 127 for c in text) > 0.02 * len(text)
                ):
                    continue
                seen.add(text)
                total += len(text)
                if total > limit:
                    return
                yield text


def factbook(root):
    """Yields (country, facts)."""
    for path, data in Repo(root, "factbook/factbook.json").files(r"^[a-z-]+/[a-z]{2}\.json$"):
        try:
            j = json.loads(data)
        except ValueError:
            continue

        def get(*keys):
            x = j
            for k in keys:
                x = x.get(k, {}) if isinstance(x, dict) else {}
            t = x.get("text", "") if isinstance(x, dict) else ""
            return tidy(re.sub(r"<[^>]+>", " ", t.split("<br")[0]))

        name = get("Government", "Country name", "conventional short form")
        if not name or name == "none":
            continue
        yield name, {
            "background": get("Introduction", "Background"),
            "location": get("Geography", "Location"),
            "climate": get("Geography", "Climate"),
            "terrain": get("Geography", "Terrain"),
            "capital": get("Government", "Capital", "name"),
            "government": get("Government", "Government type"),
            "languages": get("People and Society", "Languages", "Languages") or get(
                "People and Society", "Languages"
            ),
            "economy": get("Economy", "Economic overview"),
            "area": get("Geography", "Area", "total ") or get("Geography", "Area", "total"),
            "borders": get("Geography", "Land boundaries", "border countries"),
        }


def gutenberg(root):
    """Yields pieces of a few Project Gutenberg books, header and footer cut off."""
    dup = re.compile(r"pg(11|46|1342|100|345|64317)\.txt$")
    for path, data in Repo(root, "AmanSharma0710/wss22").files(r"books/.*\.txt$"):
        if dup.search(path):
            continue
        t = data.decode("utf8", "replace").replace("\r", "")
        a, b = re.search(r"\*\*\* ?START OF.*?\*\*\*", t), re.search(r"\*\*\* ?END OF", t)
        if not a or not b:
            continue
        t = re.sub(r"(?<!\n)\n(?!\n)", " ", t[a.end() : b.start()])
        t = tidy(t.replace("_", ""))
        for i in range(3000, len(t), 20000):
            yield t[i : i + 20000]


def wordnet(root):
    """Returns the first sense of each word: {word: (part of speech, definition, example)}."""
    repo, syn, first = Repo(root, "globalwordnet/english-wordnet"), {}, {}
    names = {"n": "noun", "v": "verb", "a": "adjective", "s": "adjective", "r": "adverb"}
    for path, data in repo.files(r"src/yaml/(noun|verb|adj|adv)\..*\.yaml$"):
        key = field = None
        for line in data.decode("utf8").split("\n"):
            if re.match(r"\d{8}-[a-z]:", line):
                key = line[:10]
                syn[key] = {"definition": [], "example": []}
                field = None
            elif re.match(r"  \w+:", line):
                field = line.strip().split(":")[0]
            elif key and field in ("definition", "example"):
                if line.startswith("  - "):
                    syn[key][field].append(line[4:].strip())
                elif line.startswith("    ") and syn[key][field]:
                    syn[key][field][-1] += " " + line.strip()
    for path, data in repo.files(r"src/yaml/entries-.\.yaml$"):
        word = pos = None
        for line in data.decode("utf8").split("\n"):
            if line and not line.startswith(" "):
                word = line.rstrip(":").strip("'\"")
            elif re.match(r"  [a-z]", line):
                pos = line.strip()[0]
            else:
                m = re.match(r"\s+synset: '?(\d{8}-[a-z])", line)
                if m and word and m[1] in syn:
                    first.setdefault(word, []).append((names.get(pos, "word"), m[1]))
    out = {}
    for word, senses in first.items():
        pos, key = senses[0]
        d = [x.strip("'\"").replace("''", "'") for x in syn[key]["definition"]]
        e = [
            x.strip("'\"").replace("''", "'")
            for x in syn[key]["example"]
            if not x.startswith(("source:", "text:"))
        ]
        if d:
            out[word] = (pos, d[0], e[0] if e else "")
    return out


# ---- conversations -------------------------------------------------------------------------------
def sgd(root, limit):
    """Yields task dialogues until limit characters."""
    total = 0
    for _, data in Repo(root, "google-research-datasets/dstc8-schema-guided-dialogue").files(
        r"^train/dialogues_\d+\.json$"
    ):
        for d in json.loads(data):
            m = [
                ["user" if t["speaker"] == "USER" else "assistant", tidy(t["utterance"])]
                for t in d["turns"]
            ]
            total += sum(len(x[1]) for x in m)
            if total > limit:
                return
            yield m


def topical(root):
    """Yields human conversations about topics."""
    for _, data in Repo(root, "alexa/Topical-Chat").files(
        r"^conversations/(valid|test)_(freq|rare)\.json$"
    ):
        for c in json.loads(data).values():
            first = c["content"][0]["agent"]
            yield [
                ["user" if t["agent"] == first else "assistant", tidy(t["message"])]
                for t in c["content"]
            ]


def persona(root):
    """Yields conversations between two made-up persons."""
    for _, data in Repo(root, "google-research-datasets/Synthetic-Persona-Chat").files(
        r"^data/.*_(valid|test)\.csv$"
    ):
        for row in csv.reader(io.StringIO(data.decode("utf8"))):
            turns = re.findall(r"User ([12]): (.*)", row[-1])
            if len(turns) > 3:
                yield [["user" if a == turns[0][0] else "assistant", tidy(b)] for a, b in turns]


def gpteacher(root):
    """Yields (is about code, conversation)."""
    for path, data in Repo(root, "teknium1/GPTeacher").files(
        r"(roleplay-similarity_0\.7|roleplay-simple-deduped|codegen)[^/]*\.json$"
    ):
        for r in json.loads(data):
            if r["response"].strip():
                yield "code" in path, [
                    ["user", (r["instruction"] + "\n" + r["input"]).strip()],
                    ["assistant", r["response"].strip()],
                ]


def dolly(root):
    """Yields instructions that need no text to work on, with their answers."""
    for _, data in Repo(root, "nayohan/dolly-15k-analysis").files(
        r"google_flan-t5-small_decode_output\.jsonl$"
    ):
        for line in data.decode("utf8").split("\n"):
            if line.strip():
                r = json.loads(line)
                a = tidy(r["text"])
                if (
                    2 <= len(a)
                    and (a[-1] in '.!?)"' or len(a) < 60)
                    and not re.search(
                        r"(passage|paragraph|the text|article|above|below|following text)",
                        r["instruction"],
                        re.I,
                    )
                ):
                    yield [["user", tidy(r["instruction"])], ["assistant", a[0].upper() + a[1:]]]


def chitchat(root):
    """Yields small talk that does not claim another identity."""
    own = re.compile(
        (
            r"name|who (are|made|created|built|own)|are you|boss|what can you|help|/chat|@|where"
            r" (are|do) you|old|birth|sex|marry|love|hot\b|kill|hate|drunk|weed|ass\b|shut|stupid"
        ),
        re.I,
    )
    for who in ("Friendly", "Professional"):
        for _, data in Repo(root, "mimi-tg/ChitChat").files(r"qna_chitchat_%s\.tsv$" % who.lower()):
            for line in data.decode("utf8", "replace").split("\n")[1:]:
                c = line.split("\t")
                if len(c) >= 2 and len(c[1]) > 8 and not own.search(c[0]):
                    yield [["user", c[0].strip()], ["assistant", c[1].replace("\\n", " ").strip()]]


def trivia(root):
    """Yields trivia questions that need no picture and no list."""
    for path, data in Repo(root, "uberspot/OpenTriviaQA").files(
        r"^categories/(general|geography|science-technology|world|animals|history|humanities"
        r"|literature|religion-faith|for-kids|brain-teasers)$"
    ):
        for block in data.decode("utf8", "replace").split("#Q ")[1:]:
            q, _, rest = block.partition("^")
            q, a = tidy(q).replace("\n", " "), rest.split("\n")[0].strip()
            if (
                q.endswith("?")
                and 2 <= len(a) < 60
                and len(q) < 160
                and not re.search(r"following|these|picture|True|False", q + a)
            ):
                yield [
                    ["user", q],
                    ["assistant", a[0].upper() + a[1:] + ("" if a[-1] in ".!?" else ".")],
                ]


def gsm8k(root):
    """Yields word problems with their solutions."""
    for _, data in Repo(root, "openai/grade-school-math").files(
        r"grade_school_math/data/train\.jsonl$"
    ):
        for line in data.decode("utf8").split("\n"):
            if line.strip():
                r = json.loads(line)
                body, _, ans = re.sub(r"<<.*?>>", "", r["answer"]).partition("####")
                yield [
                    ["user", tidy(r["question"])],
                    ["assistant", tidy(body) + "\nThe answer is " + ans.strip() + "."],
                ]


def fairytales(root):
    """Returns (tales, questions about their sections)."""
    repo = Repo(root, "uci-soe/FairytaleQAData")
    stories = {}
    for path, data in repo.files(r"^data-by-origin/section-stories/.*\.csv$"):
        key = os.path.basename(path).replace("-story.csv", "")
        stories[key] = {
            r["section"]: tidy(r["text"])
            for r in csv.DictReader(io.StringIO(data.decode("utf8", "replace")))
            if r.get("text")
        }
    chats = []
    for path, data in repo.files(r"^data-by-origin/questions/.*\.csv$"):
        key = os.path.basename(path).replace("-questions.csv", "")
        for r in csv.DictReader(io.StringIO(data.decode("utf8", "replace"))):
            sec = stories.get(key, {}).get((r.get("cor_section") or "").split(",")[0].strip())
            if sec and len(sec) < 1800 and r.get("answer1"):
                a = tidy(r["answer1"])
                chats.append(
                    [
                        ["user", sec + "\n\n" + tidy(r["question"])],
                        ["assistant", a[0].upper() + a[1:] + ("" if a[-1] in ".!?" else ".")],
                    ]
                )
    return ["\n\n".join(s.values()) for s in stories.values()], chats


def tinystories(root):
    """Yields short stories."""
    for name, path in (("Niklas6/Mini_GPT", r"^tinystories\.txt$"),):
        for _, data in Repo(root, name).files(path):
            for s in re.split(
                r"<\|endoftext\|>|\n\n+(?=Once upon a time|One day, (?:a|an|there|in) |Once there)",
                data.decode("utf8", "replace"),
            ):
                s = tidy(s)
                if 300 < len(s) < 3000:
                    yield s


def chatterbot(root):
    """Yields small talk, an even number of turns each."""
    for path, data in Repo(root, "gunthercox/chatterbot-corpus").files(
        r"data/english/(greetings|conversations|trivia|science|history|food|computers|money"
        r"|literature|psychology|health)\.yml$"
    ):
        conv, field = [], None
        for line in data.decode("utf8").split("\n"):
            if line.startswith("- - "):
                if len(conv) > 1:
                    yield [["user" if i % 2 == 0 else "assistant", t] for i, t in enumerate(conv)][
                        : len(conv) // 2 * 2
                    ]
                conv = [line[4:].strip().strip("'\"")]
            elif line.startswith("  - "):
                conv.append(line[4:].strip().strip("'\""))
            elif line.startswith("    ") and conv:
                conv[-1] += " " + line.strip()


def periodic(root):
    """Yields questions about the chemical elements."""
    for _, data in Repo(root, "Bowserinator/Periodic-Table-JSON").files(
        r"^PeriodicTableJSON\.json$"
    ):
        for e in json.loads(data)["elements"]:
            n, s, z = e["name"], e["symbol"], e["number"]
            yield [["user", f"What is {n.lower()}?"], ["assistant", tidy(e["summary"])]]
            yield [
                ["user", f"What is the chemical symbol for {n.lower()}?"],
                ["assistant", f"The chemical symbol for {n.lower()} is {s}."],
            ]
            yield [
                ["user", f"What is the atomic number of {n.lower()}?"],
                ["assistant", f"The atomic number of {n.lower()} is {z}."],
            ]


def main():
    """Reads every source, sets held-out documents aside and writes the corpus."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--repos", required=True)
    ap.add_argument("--out", required=True)
    ap.add_argument("--wikipedia-bytes", type=int, default=62_000_000)
    a = ap.parse_args()
    os.makedirs(a.out, exist_ok=True)
    rng = random.Random(7)
    docs, chats, glossary = [], [], []

    def add_docs(source, it):
        n = len(docs)
        docs.extend((source, t) for t in it)
        print(
            f"{source}: {len(docs) - n} documents, {sum(len(t) for _, t in docs[n:]) / 1e6:.1f} MB",
            file=sys.stderr,
        )

    def add_chats(source, it, weight):
        n = len(chats)
        chats.extend((source, weight, m) for m in it if len(m) > 1 and all(t for _, t in m))
        print(f"{source}: {len(chats) - n} conversations", file=sys.stderr)

    add_docs("standardebooks", standard_ebooks(a.repos))
    add_docs("openstax", openstax(a.repos, glossary))
    add_docs("wikipedia", wikipedia(a.repos, a.wikipedia_bytes))
    add_docs("gutenberg", gutenberg(a.repos))
    tales, tale_qa = fairytales(a.repos)
    add_docs("fairytaleqa", tales)
    tiny = list(tinystories(a.repos))
    add_docs("tinystories", tiny)
    countries = list(factbook(a.repos))
    add_docs(
        "factbook",
        (
            "\n".join([n] + [f"{k.capitalize()}: {v}" for k, v in f.items() if v])
            for n, f in countries
        ),
    )

    # weight: how often a conversation is seen in the chat phase; 0 = pretraining only
    add_chats("sgd", sgd(a.repos, 12_000_000), 0)
    add_chats("topical-chat", topical(a.repos), 0)
    add_chats("persona-chat", persona(a.repos), 0)
    for code, m in gpteacher(a.repos):
        chats.append(("gpteacher-code" if code else "gpteacher-roleplay", 0 if code else 1, m))
    add_chats("dolly", dolly(a.repos), 2)
    chit = list(chitchat(a.repos))
    rng.shuffle(chit)
    add_chats("chitchat", chit[:4000], 1)
    tr = list(trivia(a.repos))
    rng.shuffle(tr)
    add_chats("trivia", tr[:6000], 1)
    add_chats("trivia-pretraining", tr[6000:], 0)
    add_chats("gsm8k", gsm8k(a.repos), 0)
    add_chats("fairytaleqa", tale_qa[:3000], 1)
    add_chats("chatterbot", chatterbot(a.repos), 1)
    add_chats("periodic-table", periodic(a.repos), 1)

    stories = [
        "Tell me a story.",
        "Tell me a short story.",
        "Can you tell me a story?",
        "Write a short story.",
        "I would like to hear a story, please.",
        "Please tell me a bedtime story.",
    ]
    add_chats("tinystories", ([["user", rng.choice(stories)], ["assistant", s]] for s in tiny), 2)

    an = lambda w: ("an " if w[:1].lower() in "aeiou" else "a ") + w
    seen = set()

    def gloss():
        for term, mean in glossary:
            if (
                term
                and mean
                and term.lower() not in seen
                and len(term) < 50
                and 15 < len(mean) < 400
            ):
                seen.add(term.lower())
                q = rng.choice(
                    [
                        f"What is {term}?",
                        f"Can you explain {term}?",
                        f"Define {term}.",
                        f"What does {term} mean?",
                    ]
                )
                yield [
                    ["user", q],
                    ["assistant", f"{term[0].upper() + term[1:]}: {mean.rstrip('.')}."],
                ]

    add_chats("openstax-glossary", gloss(), 1)

    freq = collections.Counter()
    for _, t in docs[::4]:
        freq.update(re.findall(r"[a-z]+", t.lower()))

    def words():
        for w, (pos, d, e) in wordnet(a.repos).items():
            if freq[w] >= 25 and len(w) > 2 and w.isalpha() and w.islower():
                q = rng.choice(
                    [
                        f"What does {w} mean?",
                        f'What does the word "{w}" mean?',
                        f"Define {w}.",
                        f"What is the meaning of {w}?",
                    ]
                    + ([f"What is {an(w)}?"] * 2 if pos == "noun" else [])
                )
                ans = f'"{w.capitalize()}" is {an(pos)}. It means: {d.rstrip(".")}.'
                if e:
                    ans += f' For example: "{e.rstrip(".")}."'
                yield [["user", q], ["assistant", ans]]

    add_chats("wordnet", words(), 1)

    def geo():
        for n, f in countries:
            if f["capital"]:
                c = f["capital"].split(";")[0].split("(")[0].strip()
                yield [
                    ["user", f"What is the capital of {n}?"],
                    ["assistant", f"The capital of {n} is {c}."],
                ]
                yield [
                    [
                        "user",
                        rng.choice(
                            [
                                f"Which city is the capital of {n}?",
                                f"Tell me the capital city of {n}.",
                            ]
                        ),
                    ],
                    ["assistant", f"The capital of {n} is {c}."],
                ]
            if f["location"]:
                yield [
                    ["user", rng.choice([f"Where is {n}?", f"Where is {n} located?"])],
                    ["assistant", f"{n} is located in {f['location'].split(';')[0]}."],
                ]
            if f["background"]:
                s = re.split(r"(?<=[.]) (?=[A-Z])", f["background"])
                yield [
                    [
                        "user",
                        rng.choice(
                            [
                                f"Tell me about {n}.",
                                f"What do you know about {n}?",
                                f"Tell me something about the history of {n}.",
                            ]
                        ),
                    ],
                    ["assistant", " ".join(s[:3])],
                ]
            if f["languages"] and len(f["languages"]) < 200:
                yield [
                    ["user", f"What languages are spoken in {n}?"],
                    ["assistant", f"Languages spoken in {n}: {f['languages'].rstrip('.')}."],
                ]

    add_chats("factbook", geo(), 2)

    try:
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        import hearth_dialogues

        for w, m in hearth_dialogues.generate(rng):
            chats.append(("hearth", w, m))
        print("hearth:", sum(s == "hearth" for s, _, _ in chats), file=sys.stderr)
    except ImportError:
        pass

    # held-out documents, by hash, up to a budget per source
    budget = {
        "standardebooks": 70_000,
        "openstax": 60_000,
        "wikipedia": 40_000,
        "fairytaleqa": 20_000,
    }
    kept, held = [], []
    for s, t in docs:
        if zlib.crc32(t.encode()) % 97 == 0 and budget.get(s, 0) >= len(t):
            budget[s] -= len(t)
            held.append(t)
        else:
            kept.append((s, t))
    open(os.path.join(a.out, "heldout.txt"), "w").write("\n\n\n".join(held) + "\n")
    rng.shuffle(kept)
    rng.shuffle(chats)
    stat = collections.defaultdict(lambda: [0, 0])
    with open(os.path.join(a.out, "docs.jsonl"), "w") as f:
        for s, t in kept:
            stat[s][0] += 1
            stat[s][1] += len(t.encode())
            f.write(json.dumps({"s": s, "t": t}, ensure_ascii=False) + "\n")
    with open(os.path.join(a.out, "chat.jsonl"), "w") as f:
        for s, w, m in chats:
            stat["chat:" + s][0] += 1
            stat["chat:" + s][1] += sum(len(t.encode()) for _, t in m)
            f.write(json.dumps({"s": s, "w": w, "m": m}, ensure_ascii=False) + "\n")
    json.dump(stat, open(os.path.join(a.out, "sources.json"), "w"), indent=1)
    print(json.dumps(stat), "heldout bytes", sum(len(t) for t in held))


if __name__ == "__main__":
    main()
