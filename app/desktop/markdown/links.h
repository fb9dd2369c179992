// The addresses of links in messages. Models write messages, so a link's text says nothing about
// its target: the window shows the address itself, and opens it once the reader has agreed.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QQuickTextDocument>
#include <QVariantList>

namespace hearth::ui {

class Links : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_SINGLETON

public:
    using QObject::QObject;

    // "example.org"; for a mail address the part after the @. Names that are not ASCII are in
    // punycode, so that no letter passes for another.
    Q_INVOKABLE static QString host(const QString& link);
    // The address as Text.StyledText, the host in bold. brief: a long address is cut before and
    // after the host, never in the host.
    Q_INVOKABLE static QString styled(const QString& link, bool brief);
    // The links of a rich text in reading order, each as {start, end, link, text}: positions of
    // characters; `end` is one after the last.
    Q_INVOKABLE static QVariantList within(QQuickTextDocument* document);
    // Opens the link with the system's program. False: the address must not be opened (only http,
    // https, mailto), or there is no program for it.
    Q_INVOKABLE static bool open(const QString& link);
};

}  // namespace hearth::ui
