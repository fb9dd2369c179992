// The licences of what the program is made of and was installed with, for its "About".
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
    // Of the program that runs.
    explicit Licences(QObject* parent = nullptr);
    // The first of the files that can be read holds the text; the last ones are in the program.
    explicit Licences(const QStringList& files, QObject* parent = nullptr);
    ~Licences() override;

    // Where an installation keeps its notices, seen from the program's folder; then what was known
    // when the program was built.
    static QStringList places(const QString& programFolder);

    // Reads on another thread, at most 16 MiB; done() follows, once a call.
    Q_INVOKABLE void read();

signals:
    // Never empty: where nothing can be read the text says so.
    void done(const QString& text);

private:
    const QStringList files_;
    QThreadPool pool_;
};

}  // namespace hearth::ui
