#include "documents/quotes.h"

namespace hearth::ui {

namespace {

// A name is one line, and says nothing else.
QString nameOf(const QuotedText& quote) {
    QString name = quote.name.simplified().left(200);
    return name.replace(QLatin1Char('"'), QLatin1Char('\''));
}

QString headOf(const QuotedText& quote) {
    if (quote.whole) {
        return QStringLiteral("File \"%1\":").arg(nameOf(quote));
    }
    return quote.page > 0 ? QStringLiteral("Passage of the file \"%1\", page %2:")
                                .arg(nameOf(quote))
                                .arg(quote.page)
                          : QStringLiteral("Passage of the file \"%1\":").arg(nameOf(quote));
}

// More of the marks around the text than stand in a row in it, so that it cannot end them.
QString fenceFor(const QString& text) {
    qsizetype longest = 2;
    qsizetype row = 0;
    for (const QChar c : text) {
        row = c == QLatin1Char('`') ? row + 1 : 0;
        longest = std::max(longest, row);
    }
    return QString(longest + 1, QLatin1Char('`'));
}

}  // namespace

QString withQuotes(const QString& message, const QList<QuotedText>& quotes) {
    QString all;
    for (const QuotedText& quote : quotes) {
        if (quote.text.isEmpty()) {
            all += QStringLiteral("The text of the file \"%1\" is missing.\n\n").arg(nameOf(quote));
            continue;
        }
        const QString fence = fenceFor(quote.text);
        all += headOf(quote) + QLatin1Char('\n') + fence + QLatin1Char('\n') +
               quote.text.trimmed() + QLatin1Char('\n') + fence + QStringLiteral("\n\n");
    }
    return all + message;
}

}  // namespace hearth::ui
