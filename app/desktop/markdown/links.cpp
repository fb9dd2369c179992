#include "markdown/links.h"

#include <QTextBlock>
#include <QTextDocument>
#include <QUrl>
#include <QVariantMap>

#include "markdown/markdown_renderer.h"
#include "system/outside.h"

namespace hearth::ui {

namespace {

struct Parts {
    QString before;
    QString host;
    QString after;
};

Parts partsOf(const QString& link) {
    const QString address = safeLink(link);
    const QUrl url(address, QUrl::StrictMode);
    Parts parts;
    if (url.scheme() == QLatin1String("mailto")) {
        const qsizetype end = address.indexOf(QLatin1Char('?'));
        const qsizetype at = address.left(end).lastIndexOf(QLatin1Char('@')) + 1;
        parts.before = address.left(at);
        parts.host = at == 0 ? QString() : address.mid(at, end < 0 ? -1 : end - at);
    } else {
        const QString user = url.userInfo(QUrl::FullyEncoded);
        parts.before = url.scheme() + QLatin1String("://");
        if (address.startsWith(parts.before + user + QLatin1Char('@'))) {
            parts.before += user + QLatin1Char('@');
        }
        parts.host = url.host(QUrl::FullyEncoded);
        if (parts.host.contains(QLatin1Char(':'))) {  // IPv6
            parts.host = QLatin1Char('[') + parts.host + QLatin1Char(']');
        }
    }
    if (!address.startsWith(parts.before + parts.host)) {
        return {{}, address, {}};  // in doubt, more of it is bold
    }
    parts.after = address.mid(parts.before.size() + parts.host.size());
    return parts;
}

}  // namespace

QString Links::host(const QString& link) {
    return partsOf(link).host;
}

QString Links::styled(const QString& link, bool brief) {
    constexpr qsizetype kBefore = 24;
    constexpr qsizetype kAfter = 80;
    Parts parts = partsOf(link);
    if (brief && parts.before.size() > kBefore) {
        parts.before = parts.before.left(kBefore - 2) + QStringLiteral("…@");
    }
    if (brief && parts.after.size() > kAfter) {
        parts.after = parts.after.left(kAfter) + QStringLiteral("…");
    }
    return parts.before.toHtmlEscaped() + QStringLiteral("<b>") + parts.host.toHtmlEscaped() +
           QStringLiteral("</b>") + parts.after.toHtmlEscaped();
}

QVariantList Links::within(QQuickTextDocument* document) {
    QVariantList links;
    if (document == nullptr || document->textDocument() == nullptr) {
        return links;
    }
    // A link in several letter styles is several fragments.
    QVariantMap open;
    const auto close = [&] {
        if (!open.isEmpty()) {
            links.append(open);
            open.clear();
        }
    };
    const QTextDocument& text = *document->textDocument();
    for (QTextBlock block = text.begin(); block.isValid(); block = block.next()) {
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextFragment fragment = it.fragment();
            const QString link = fragment.charFormat().anchorHref();
            if (link.isEmpty()) {
                close();
                continue;
            }
            if (open.value(QStringLiteral("link")).toString() != link) {
                close();
                open[QStringLiteral("start")] = fragment.position();
                open[QStringLiteral("link")] = link;
            }
            open[QStringLiteral("end")] = fragment.position() + fragment.length();
            open[QStringLiteral("text")] =
                open.value(QStringLiteral("text")).toString() + fragment.text();
        }
        close();
    }
    return links;
}

bool Links::open(const QString& link) {
    const QString address = safeLink(link);
    return !address.isEmpty() && openOutside(QUrl(address, QUrl::StrictMode));
}

}  // namespace hearth::ui
