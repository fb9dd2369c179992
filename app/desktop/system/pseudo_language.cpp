#include "system/pseudo_language.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <cstring>

#include "system/translations.h"

namespace hearth::ui {

namespace {

const QString kPlain = QStringLiteral("AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz");
const QString kMarked = QStringLiteral("ÅåƁƀÇçÐđÉéƑƒĜĝĤĥÎîĴĵĶķĻļṀṁÑñÖöÞþǪǫŔŕŠšŢţÛûṼṽŴŵẊẋÝýŽž");

}  // namespace

QString pseudoText(const QString& english) {
    static const QRegularExpression kKept(QStringLiteral("%L?(\\d{1,2}|n)|<[^<>]*>|&\\w+;"));
    QString text = english;
    for (QChar& letter : text) {
        const qsizetype at = kPlain.indexOf(letter);
        letter = at < 0 ? letter : kMarked.at(at);
    }
    for (auto kept = kKept.globalMatch(english); kept.hasNext();) {
        const QRegularExpressionMatch one = kept.next();
        text.replace(one.capturedStart(), one.capturedLength(), one.captured());
    }
    const QString longer(std::max<qsizetype>(1, english.size() / 3), QLatin1Char('~'));
    return QStringLiteral("⟦") + text + longer + QStringLiteral("⟧");
}

PseudoTranslator::PseudoTranslator(bool rightToLeft, QObject* parent)
    : QTranslator(parent), rightToLeft_(rightToLeft) {
    loadTranslation(english_, QStringLiteral("en"));
}

// Other threads ask for words, too: Qt forgets it while all of it is still there, and waits for
// them. Its own base class would tell Qt once the members are gone.
PseudoTranslator::~PseudoTranslator() {
    QCoreApplication::removeTranslator(this);
}

QString PseudoTranslator::translate(const char* context, const char* source,
                                    const char* disambiguation, int n) const {
    // Qt asks for the direction as if it were a text.
    if (std::strcmp(source, "QT_LAYOUT_DIRECTION") == 0) {
        return rightToLeft_ ? QStringLiteral("RTL") : QString();
    }
    const QString form = english_.translate(context, source, disambiguation, n);
    return pseudoText(form.isEmpty() ? QString::fromUtf8(source) : form);
}

}  // namespace hearth::ui
