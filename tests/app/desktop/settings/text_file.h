// A settings file as a test writes and reads it.
#pragma once

#include <QFile>
#include <QtTest>

namespace hearth::ui::test {

inline void writeText(const QString& name, const QByteArray& text) {
    QFile file(name);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text), text.size());
}

// Nothing where there is no such file.
inline QByteArray readText(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace hearth::ui::test
