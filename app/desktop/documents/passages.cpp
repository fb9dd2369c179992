#include "documents/passages.h"

#include <algorithm>

namespace hearth::ui {

namespace {

constexpr qsizetype kLeast = 300;  // unless a page, or the text, ends before

// How well the text can be cut before `at`: 4 a paragraph ends there, 3 a line, 2 a sentence, 1 a
// word, 0 none of these.
int seamAt(const QString& text, qsizetype at) {
    const QChar before = text[at - 1];
    if (before == QLatin1Char('\n')) {
        return at >= 2 && text[at - 2] == QLatin1Char('\n') ? 4 : 3;
    }
    if (QStringView(u"。！？").contains(before)) {
        return 2;
    }
    if (before.isSpace()) {
        return at >= 2 && QStringView(u".!?…").contains(text[at - 2]) ? 2 : 1;
    }
    return 0;
}

// The best place to cut between `least` and `most`, the last of the best ones.
qsizetype bestCut(const QString& text, qsizetype least, qsizetype most) {
    qsizetype best = most;
    int quality = 0;
    for (qsizetype at = most; at >= least && quality < 4; --at) {
        const int seam = seamAt(text, at);
        if (seam > quality) {
            best = at;
            quality = seam;
        }
    }
    if (quality == 0 && text[best - 1].isHighSurrogate()) {
        --best;
    }
    return best;
}

}  // namespace

QList<Passage> cutPassages(const DocumentText& document) {
    QList<Passage> passages;
    const QString& text = document.text;
    qsizetype page = 0;
    for (qsizetype begin = 0; begin < text.size();) {
        while (page < document.pages.size() && document.pages[page] <= begin) {
            ++page;
        }
        const qsizetype end = page < document.pages.size()
                                  ? std::min(document.pages[page], text.size())
                                  : text.size();
        const qsizetype cut =
            end - begin <= kPassageMost ? end : bestCut(text, begin + kLeast, begin + kPassageMost);
        passages.append({begin, cut - begin});
        begin = cut;
    }
    return passages;
}

}  // namespace hearth::ui
