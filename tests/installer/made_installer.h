// A .run of the real scripts over a payload of a few small files, and a place to install it in.
#pragma once

#include <QMap>
#include <QProcess>
#include <QString>
#include <QTemporaryDir>

namespace hearth::test {

struct Ended {
    int status = -1;  // the program's exit status; 128 + n: signal n ended it
    QString words;    // standard output and standard error
};

// Writes a file with its folders. False: it could not.
bool writeFile(const QString& path, const QByteArray& bytes, bool runs = false);

// Runs to its end, without a terminal and without a display. At most a minute.
Ended run(const QStringList& command, const QProcessEnvironment& environment);

// Every file, folder and link below a folder: what it is, its mode, and its bytes or where it
// leads.
QMap<QString, QByteArray> listing(const QString& folder);
// What differs, one path a line, to be shown when a test fails.
QString difference(const QMap<QString, QByteArray>& before, const QMap<QString, QByteArray>& after);

// Makes the file `hearth-VERSION.run` in a folder; its programs are scripts that say their version.
// `more` goes into a file of the payload, so that two payloads of one version can differ. `also`:
// more files of the payload.
QString makeRun(const QString& folder, const QString& version, const QByteArray& more = {},
                const QStringList& also = {});

// A home for one test, with an environment that knows nothing of the user's; the tools are found
// through `tools`, a folder of links, so that one can be taken away or replaced.
class Home {
public:
    Home();
    bool valid() const { return folder_.isValid(); }
    QString path(const QString& name = {}) const;  // below home, whose name has blanks and umlauts
    QString tool(const QString& name) const;       // its path in `tools`
    bool replaceTool(const QString& name, const QByteArray& script) const;
    QProcessEnvironment environment() const;
    // As an ordinary user, who owns the home.
    Ended install(const QString& file, const QStringList& options = {}) const;
    Ended call(const QStringList& command) const;
    QStringList asUser() const;  // the words that make a command that user's
    Ended callWithSystemTools(const QStringList& command) const;
    QMap<QString, QByteArray> files() const { return listing(path()); }

private:
    QTemporaryDir folder_;
};

}  // namespace hearth::test
