#include "app/demo/demo_scripts.h"

namespace hearth::ui::demo {

namespace {

// Paragraphs in one line each, as models write them: a line break in one would be shown as such.
constexpr auto kSorting =
    "Use the built-in `sorted` with a **key**. It returns a *new* list and leaves the old one "
    "alone:\n"
    "\n"
    "```python\n"
    "words = [\"ember\", \"hearth\", \"ash\"]\n"
    "\n"
    "by_length = sorted(words, key=len)\n"
    "print(by_length)  # ['ash', 'ember', 'hearth']\n"
    "```\n"
    "\n"
    "Three things that are good to know:\n"
    "\n"
    "- the shortest word comes first; `reverse=True` turns it round\n"
    "- words of equal length keep their order\n"
    "- `words.sort(key=len)` changes the list itself\n";

constexpr auto kSky =
    "Sunlight looks white, yet it is made of all colours. On its way through the air it meets "
    "molecules that are far smaller than a wave of light, and those scatter **short waves much "
    "more "
    "than long ones**: blue about five times as much as red.\n"
    "\n"
    "So the blue part of the light reaches your eye from every direction, and the whole sky seems "
    "to "
    "glow with it. In the evening the way through the air is longer. Most of the blue is gone "
    "before "
    "the light arrives, and what is left is orange and red.\n"
    "\n"
    "> Violet is scattered even more, but the sun sends less of it and our eyes hardly see it.\n";

constexpr auto kTable =
    "## Bread, in short\n"
    "\n"
    "| flour | water | time to rest |\n"
    "| --- | --- | --- |\n"
    "| wheat | 65 % | 3 hours |\n"
    "| spelt | 62 % | 2 hours |\n"
    "| rye | 80 % | 12 hours |\n"
    "\n"
    "1. Mix everything and wait half an hour.\n"
    "2. Fold the dough three times.\n"
    "3. Bake it hot: `240 °C` for ten minutes, then `200 °C` for thirty.\n";

constexpr auto kStory =
    "Once there was a small flame that lived in an old hearth. Every evening it listened to the "
    "people of the house, and every morning it was only a glow under the ashes.\n"
    "\n"
    "One winter nobody came. The flame made itself as small as it could and waited. When the door "
    "opened at last, a girl knelt down and blew softly, and the flame remembered how to dance.\n";

}  // namespace

QList<FakeInference::Script> scripts() {
    QList<FakeInference::Script> all;
    for (const char* text : {kSorting, kSky, kTable, kStory}) {
        FakeInference::Script script = FakeInference::scriptFrom(QString::fromUtf8(text));
        script.summary.firstTokenMs = 120;
        script.summary.tokensPerSecond = 42;
        all.append(script);
    }
    return all;
}

ModelSummary model() {
    ModelSummary model;
    model.path = QStringLiteral("demo.gguf");
    model.name = QStringLiteral("Demo model");
    model.type = QStringLiteral("Q4_0");
    model.isa = QStringLiteral("avx2");
    model.fileBytes = 36 * 1000 * 1000;
    model.contextTokens = 1024;
    model.threads = 2;
    return model;
}

MapReport map() {
    constexpr int kLayers = 32;
    constexpr int kNeurons = 14336;
    constexpr quint64 kLayerBytes = 218'000'000;
    MapReport map;
    for (int i = 0; i < kLayers; ++i) {
        const double depth = static_cast<double>(i) / kLayers;
        MappedLayer layer;
        layer.card = static_cast<quint64>((0.5 - 0.35 * depth) * kLayerBytes);
        layer.disk = i < 6 ? 0 : static_cast<quint64>((0.08 + 0.3 * depth) * kLayerBytes);
        layer.memory = kLayerBytes - layer.card - layer.disk;
        layer.neurons = kNeurons;
        layer.tokens = 214;
        layer.fired = 0.05 + 0.16 * depth * depth + 0.012 * (i * 7 % 5);
        if (layer.disk > 0) {
            layer.misses = 9'000 + static_cast<quint64>(i) * 700;
            layer.hits = 520'000 - static_cast<quint64>(i * 37 % 11) * 24'000;
            layer.readBytes = layer.misses * 12'288;
        }
        map.readBytes += layer.readBytes;
        map.layers << layer;
    }
    map.tokens = 214;
    map.readBytes += map.readBytes / 30;
    map.ramUsed = 3'900'000'000;
    map.ramBudget = 4'000'000'000;
    map.vramUsed = 2'700'000'000;
    map.vramBudget = 3'000'000'000;
    map.takenNs = 1;
    return map;
}

QString drawing() {
    return QString::fromUtf8(R"answer(Water rises from the sea, falls as rain, and flows back:

```svg
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 260" font-family="sans-serif" font-size="15">
  <title>How water goes round</title>
  <defs>
    <linearGradient id="sea" x1="0" y1="0" x2="0" y2="1">
      <stop offset="0" stop-color="#6fb3dc"/>
      <stop offset="1" stop-color="#2b6f9e"/>
    </linearGradient>
  </defs>
  <circle cx="60" cy="52" r="26" fill="#f4b942"/>
  <path d="M0 210 H250 V260 H0 Z" fill="url(#sea)"/>
  <path d="M250 260 V210 L330 120 L370 160 L410 110 L480 200 V260 Z" fill="#8a7a64"/>
  <g fill="#dfe6ec" stroke="#7d8b98">
    <ellipse cx="300" cy="60" rx="52" ry="24"/>
    <ellipse cx="350" cy="52" rx="46" ry="26"/>
  </g>
  <g stroke="#2b6f9e" stroke-width="2" fill="none">
    <path d="M120 200 C120 150 180 150 235 80"/>
    <path d="M310 92 l-8 26 M330 92 l-8 26 M350 92 l-8 26"/>
    <path d="M330 170 C300 190 290 200 255 214"/>
  </g>
  <text x="92" y="140">evaporation</text>
  <text x="366" y="96">rain</text>
  <text x="60" y="240" fill="white">sea</text>
</svg>
```

The sun drives all of it.
)answer");
}

QString formulas() {
    return QString::fromUtf8(R"(The roots of \(a x^2 + b x + c\) with $a \neq 0$ are

\[
x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
\]

With $\Delta = b^2 - 4ac$ they are real for $\Delta \geq 0$. Euler found $e^{i\pi} + 1 = 0$, and the normal distribution \(\mathcal{N}(\mu, \sigma^2)\) has the density

$$
f(x) = \frac{1}{\sigma\sqrt{2\pi}} \exp\left( -\frac{(x-\mu)^2}{2\sigma^2} \right), \qquad \int_{-\infty}^{\infty} f(x)\,dx = 1
$$

- The mean is $\bar{x} = \frac{1}{n} \sum_{i=1}^{n} x_i$, its error $\frac{s}{\sqrt{n}}$.
- Sorting takes \(O(n \log n)\) steps, $x \in \mathbb{R}^n$, $\|x\|_2 \le 1$.
- Water is $\mathrm{H_2O}$, and $\alpha_s(M_Z) \approx 0.118$ has no unit.

\begin{align}
\nabla \cdot \mathbf{E} &= \frac{\rho}{\varepsilon_0} & \nabla \times \mathbf{E} &= -\frac{\partial \mathbf{B}}{\partial t} \\
\nabla \cdot \mathbf{B} &= 0 & \nabla \times \mathbf{B} &= \mu_0 \mathbf{J} + \mu_0 \varepsilon_0 \frac{\partial \mathbf{E}}{\partial t}
\end{align}

\[ A^{-1} = \frac{1}{ad - bc} \begin{pmatrix} d & -b \\ -c & a \end{pmatrix}, \qquad |x| = \begin{cases} x & \text{if } x \geq 0 \\ -x & \text{otherwise} \end{cases} \]

\[ \lim_{n \to \infty} \left(1 + \frac{1}{n}\right)^n = e, \qquad \sum_{n=1}^{\infty} \frac{1}{n^2} = \frac{\pi^2}{6}, \qquad \underbrace{1 + 1 + \cdots + 1}_{n \text{ times}} = n \]

\[ i\hbar \frac{\partial}{\partial t} \Psi(\mathbf{r}, t) = \left[ -\frac{\hbar^2}{2m} \nabla^2 + V(\mathbf{r}, t) \right] \Psi(\mathbf{r}, t) \]

\[ \text{Attention}(Q, K, V) = \text{softmax}\left( \frac{QK^\top}{\sqrt{d_k}} \right) V \]

It costs $5 and not $6.
)");
}

}  // namespace hearth::ui::demo
