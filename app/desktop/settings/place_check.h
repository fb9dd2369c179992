// Looks whether folders and files that settings name are there.
#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>

namespace hearth::ui {

class PlaceCheck : public QObject {
    Q_OBJECT

public:
    // What a setting names.
    enum class Wanted {
        Folders,  // to look through: each must be there
        Target,   // a folder to write to: it is made when it is needed
        File,
    };
    struct Question {
        Wanted wanted;
        QStringList paths;  // absolute

        friend bool operator==(const Question&, const Question&) = default;
    };
    using Questions = QHash<QString, Question>;  // by keys of settings

    explicit PlaceCheck(QObject* parent = nullptr);
    ~PlaceCheck() override;

    // Returns at once. looked() comes from the event loop, unless another call follows: on a disk
    // that does not answer, never.
    void look(const Questions& questions);

signals:
    // By their keys what is to be said of them, a sentence or several.
    void looked(const QHash<QString, QString>& said);

private:
    struct Link;

    static QString say(const Question& question);

    std::shared_ptr<Link> link_;
    int turn_ = 0;
};

}  // namespace hearth::ui
