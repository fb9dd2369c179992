// The licences of the program's parts and of what was installed with it, for its "About".
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QStringList>
#include <QThreadPool>

namespace hearth::ui {

class Licences : public QObject {
    Q_OBJECT
    QML_ELEMENT

public:
    // The licences of the running program.
    explicit Licences(QObject* parent = nullptr);
    // The first readable file holds the text; the last ones are inside the program.
    explicit Licences(const QStringList& files, QObject* parent = nullptr);
    ~Licences() override;

    // The places in which an installation keeps its notices, seen from the program's folder,
    // followed by the text from the time of the build.
    static QStringList places(const QString& programFolder);

    // Reads on another thread, at most 16 MiB. done() follows, once a call.
    Q_INVOKABLE void read();

signals:
    // Never empty: if nothing can be read, the text says so.
    void done(const QString& text);

private:
    const QStringList files_;
    QThreadPool pool_;
};

}  // namespace hearth::ui
