// QML of the window's parts on scripted models: copies of the files of qml/settings, qml/downloads
// and qml/library whose properties take any model, and for each model of the desktop a QML type of
// the same name with its properties and callable functions. A call is noted instead of done.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <QUrl>
#include <QVariant>
#include <utility>

namespace hearth::ui::test {

// Notes all that the parts ask of their models, in order.
class Calls : public QObject {
    Q_OBJECT
    Q_PROPERTY(QVariantMap answers MEMBER answers_)  // of a function by its name: what it returns
    Q_PROPERTY(QObject* picker MEMBER picker_)       // the choice of a file that was asked last

public:
    // Assignments are noted once the part stands.
    void setStanding(bool standing) { standing_ = standing; }
    QStringList take() { return std::exchange(calls_, {}); }

    Q_INVOKABLE QVariant note(const QString& function, const QVariantList& arguments);
    Q_INVOKABLE void assigned(const QString& property, const QVariant& value);
    Q_INVOKABLE void openUrl(const QUrl& url);  // in the browser

private:
    QObject* picker_ = nullptr;
    QVariantMap answers_;
    QStringList calls_;
    bool standing_ = false;
};

class ScriptedQml {
public:
    // Writes the files. False: it cannot.
    bool write();
    QString folder() const { return folder_.path(); }
    // The text, with the names of parts and models made those of the copies.
    static QString adapted(QString text);

private:
    QTemporaryDir folder_;
};

}  // namespace hearth::ui::test
