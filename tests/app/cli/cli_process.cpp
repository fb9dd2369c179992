#include "cli_process.h"

#include <QDir>
#include <QJsonDocument>
#include <QProcess>

namespace hearth::test {

QJsonObject CliResult::json() const {
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(out, &error);
    const bool one_line = out.endsWith('\n') && out.count('\n') == 1;
    return error.error == QJsonParseError::NoError && one_line ? document.object() : QJsonObject();
}

QByteArray CliResult::text() const {
    return "status " + QByteArray::number(status) + "\nout: " + out.left(2000) +
           "\nerr: " + err.left(2000);
}

QString cli_path() {
#ifdef Q_OS_WIN
    return QStringLiteral(HEARTH_BINARY_DIR "/bin/hearth-cli.exe");
#else
    return QStringLiteral(HEARTH_BINARY_DIR "/bin/hearth-cli");
#endif
}

CliResult run_cli(const QStringList& arguments, const QByteArray& input) {
    QProcess process;
    process.start(cli_path(), arguments);
    CliResult result;
    if (!process.waitForStarted()) {
        result.err = "did not start: " + process.errorString().toUtf8();
        return result;
    }
    process.write(input);
    process.closeWriteChannel();
    const bool ended = process.waitForFinished(600'000);
    if (!ended) {
        process.kill();
        process.waitForFinished();
    }
    result.out = process.readAllStandardOutput();
    result.err = process.readAllStandardError();
    if (ended && process.exitStatus() == QProcess::NormalExit) {
        result.status = process.exitCode();
    }
    return result;
}

QString starter_model() {
    const QDir folder(QStringLiteral(HEARTH_SOURCE_DIR "/resources/starter-model"));
    const QStringList models = folder.entryList({"*.gguf"}, QDir::Files, QDir::Name);
    return models.isEmpty() ? QString() : folder.filePath(models.first());
}

bool has_keys(const QJsonObject& object, const char* command, QStringList keys, QString& why) {
    keys << "schema"
         << "command"
         << "version";
    QStringList found = object.keys();
    keys.sort();
    found.sort();
    why = "found " + found.join(' ') + ", wanted " + keys.join(' ');
    return found == keys && object["schema"].toInt() == 1 && object["command"] == command &&
           object["version"] == "0.1.0";
}

}  // namespace hearth::test
