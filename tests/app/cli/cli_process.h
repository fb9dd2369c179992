// Starts the built hearth-cli as a script would.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace hearth::test {

struct CliResult {
    int status = -1;  // -1: crashed, did not start, or ran longer than a minute
    QByteArray out;
    QByteArray err;

    // Standard output as the one JSON object it must be; empty if it is anything else.
    QJsonObject json() const;
    QJsonObject error() const { return json().value("error").toObject(); }
    // For QVERIFY2.
    QByteArray text() const;
};

QString cli_path();
CliResult run_cli(const QStringList& arguments, const QByteArray& input = {});

// The shipped model, or empty when there is none.
QString starter_model();

// True if `object` has exactly the envelope and these keys, and the right command.
bool has_keys(const QJsonObject& object, const char* command, QStringList keys, QString& why);

}  // namespace hearth::test
