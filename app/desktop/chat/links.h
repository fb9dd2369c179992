// The addresses that messages link to. Models write messages, so a link's text says nothing about
// where it leads: the window shows the address itself, and opens it once the reader has agreed.
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

    // "example.org"; of an address of mail: what follows the @. Names that are not ASCII in
    // punycode, so that no letter passes for another.
    Q_INVOKABLE static QString host(const QString& link);
    // The address as Text.StyledText, the host in bold. brief: for one glance, cut before and after
    // the host where it is long; never the host.
    Q_INVOKABLE static QString styled(const QString& link, bool brief);
    // The links of a rich text in reading order, each as {start, end, link, text}: positions of
    // characters, the end one behind the last.
    Q_INVOKABLE static QVariantList within(QQuickTextDocument* document);
    // With the system's program. False: it is no address that may be opened (http, https, mailto),
    // or there is no program for it.
    Q_INVOKABLE static bool open(const QString& link);
};

}  // namespace hearth::ui
