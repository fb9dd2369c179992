#include "installer/made_installer.h"

#include <unistd.h>

#include <QCryptographicHash>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

namespace hearth::test {

namespace {

constexpr int kEndMs = 60'000;
const char* const kNobody = "65534";

// What the installer may use, and what these tests use around it. None that shows windows.
const char* const kTools[] = {"cat",
                              "chmod",
                              "cmp",
                              "cp",
                              "cut",
                              "dd",
                              "df",
                              "du",
                              "env",
                              "expr",
                              "find",
                              "flock",
                              "getconf",
                              "grep",
                              "gzip",
                              "head",
                              "id",
                              "ldconfig",
                              "ln",
                              "ls",
                              "mkdir",
                              "mount",
                              "mv",
                              "ps",
                              "readlink",
                              "rm",
                              "rmdir",
                              "sed",
                              "setsid",
                              "sha256sum",
                              "sh",
                              "sleep",
                              "sort",
                              "tail",
                              "tar",
                              "touch",
                              "tr",
                              "true",
                              "uname",
                              "wc",
                              "update-desktop-database",
                              "update-mime-database",
                              "gtk-update-icon-cache"};

// What a program says of itself, where it writes down how it was started, and how long it stays.
QByteArray program(const QString& name, const QString& version) {
    return "#!/bin/sh\n"
           "[ \"${1-}\" = --version ] || [ -z \"${STARTED-}\" ] || env >\"$STARTED\"\n"
           "while [ \"${1-}\" != --version ] && [ -e \"${STAY-}\" ]; do sleep 0.1; done\n"
           "echo " +
           name.toUtf8() + ' ' + version.toUtf8() + "\n";
}

}  // namespace

bool writeFile(const QString& path, const QByteArray& bytes, bool runs) {
    if (!QDir().mkpath(QFileInfo(path).path())) {
        return false;
    }
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
        return false;
    }
    file.close();
    return !runs || file.setPermissions(QFile::Permissions(0x7755));
}

Ended run(const QStringList& command, const QProcessEnvironment& environment) {
    QProcess process;
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(command.first(), command.mid(1));
    if (!process.waitForFinished(kEndMs)) {
        process.kill();
        process.waitForFinished();
        return {-1, QStringLiteral("did not end: ") + QString::fromUtf8(process.readAll())};
    }
    const int status = process.exitStatus() == QProcess::NormalExit ? process.exitCode()
                                                                    : 128 + process.exitCode();
    return {status, QString::fromUtf8(process.readAll())};
}

QMap<QString, QByteArray> listing(const QString& folder) {
    QMap<QString, QByteArray> all;
    QDirIterator it(folder, QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot,
                    QDirIterator::Subdirectories);
    while (it.hasNext()) {
        it.next();
        const QFileInfo info = it.fileInfo();
        const QByteArray mode = QByteArray::number(static_cast<int>(info.permissions()), 16);
        QByteArray what = "folder " + mode;
        if (info.isSymLink()) {
            what = "link " + QFile::encodeName(info.symLinkTarget());
        } else if (!info.isDir()) {
            QFile file(info.filePath());
            what = "file " + mode + ' ';
            what +=
                file.open(QIODevice::ReadOnly)
                    ? QCryptographicHash::hash(file.readAll(), QCryptographicHash::Sha256).toHex()
                    : QByteArray("unreadable");
        }
        all.insert(QDir(folder).relativeFilePath(info.filePath()), what);
    }
    return all;
}

QString difference(const QMap<QString, QByteArray>& before,
                   const QMap<QString, QByteArray>& after) {
    QString text;
    for (auto it = before.begin(); it != before.end(); ++it) {
        if (!after.contains(it.key())) {
            text += "gone: " + it.key() + '\n';
        } else if (after[it.key()] != it.value()) {
            text +=
                "changed: " + it.key() + " from " + it.value() + " to " + after[it.key()] + '\n';
        }
    }
    for (auto it = after.begin(); it != after.end(); ++it) {
        if (!before.contains(it.key())) {
            text += "new: " + it.key() + '\n';
        }
    }
    return text;
}

QString makeRun(const QString& folder, const QString& version, const QByteArray& more,
                const QStringList& also) {
    const QString tree = folder + "/tree-" + version;
    QDir(tree).removeRecursively();
    const QString file = folder + "/hearth-" + version + ".run";
    bool written =
        writeFile(tree + "/bin/hearth", program("hearth", version), true) &&
        writeFile(tree + "/bin/hearth-cli", program("hearth-cli", version), true) &&
        writeFile(tree + "/lib/libmore.so.6", QByteArray(3'000'000, 'x') + more) &&
        writeFile(tree + "/share/hearth/starter-model/a.gguf", "GGUF") &&
        writeFile(tree + "/share/applications/hearth.desktop",
                  "[Desktop Entry]\nType=Application\nName=Hearth " + version.toUtf8() +
                      "\nExec=hearth %f\nTryExec=hearth\nMimeType=application/x-gguf;\n") &&
        writeFile(tree + "/share/icons/hicolor/scalable/apps/hearth.svg", "<svg/>") &&
        writeFile(tree + "/share/mime/packages/hearth-gguf.xml",
                  "<?xml version=\"1.0\"?>\n"
                  "<mime-info xmlns=\"http://www.freedesktop.org/standards/shared-mime-info\">"
                  "<mime-type type=\"application/x-gguf\"><glob pattern=\"*.gguf\"/></mime-type>"
                  "</mime-info>\n");
    for (const QString& name : also) {
        written = writeFile(tree + '/' + name, "also\n") && written;
    }
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("SOURCE_DATE_EPOCH", "1700000000");
    const Ended packed = run({QStringLiteral(HEARTH_SOURCE_DIR "/installer/run/pack.py"), "--tree",
                              tree, "--version", version, "--out", file, "--level", "1"},
                             environment);
    if (!written || packed.status != 0) {
        qWarning().noquote() << "no installer was made:" << packed.words;
        return {};
    }
    return file;
}

Home::Home() : folder_(QStringLiteral(HEARTH_BINARY_DIR "/installer-XXXXXX")) {
    QDir().mkpath(path());
    const QString tools = folder_.filePath("tools");
    QDir().mkpath(tools);
    for (const char* name : kTools) {
        const QString found =
            QStandardPaths::findExecutable(name, {"/usr/sbin", "/usr/bin", "/sbin", "/bin"});
        if (!found.isEmpty()) {
            QFile::link(found, tools + '/' + name);
        }
    }
    if (geteuid() == 0) {
        QFile::setPermissions(folder_.path(), QFile::Permissions(0x7755));
        if (chown(QFile::encodeName(path()).constData(), 65534, 65534) != 0) {
            qWarning("the home cannot be given to an ordinary user");
        }
    }
}

QString Home::path(const QString& name) const {
    const QString home = folder_.filePath(QString::fromUtf8("h\xc3\xb6 me $x"));
    return name.isEmpty() ? home : home + '/' + name;
}

QString Home::tool(const QString& name) const {
    return folder_.filePath("tools/" + name);
}

bool Home::replaceTool(const QString& name, const QByteArray& script) const {
    QFile::remove(tool(name));
    return writeFile(tool(name), "#!/bin/sh\n" + script, true);
}

QProcessEnvironment Home::environment() const {
    QProcessEnvironment environment;
    environment.insert("HOME", path());
    environment.insert("PATH", folder_.filePath("tools"));
    return environment;
}

QStringList Home::asUser() const {
    return geteuid() == 0 ? QStringList({"/usr/bin/setpriv", "--reuid", kNobody, "--regid", kNobody,
                                         "--clear-groups"})
                          : QStringList();
}

Ended Home::call(const QStringList& command) const {
    return run(asUser() + command, environment());
}

Ended Home::callWithSystemTools(const QStringList& command) const {
    QProcessEnvironment plain = environment();
    plain.insert("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    return run(asUser() + command, plain);
}

Ended Home::install(const QString& file, const QStringList& options) const {
    return call(QStringList({"/bin/sh", file}) + options);
}

}  // namespace hearth::test
