// Checks whether folders and files that settings name exist.
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
    // The kind of a named place.
    enum class Wanted {
        Folders,  // searched for models: each must exist
        Target,   // written to: it is created when it is needed
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

    // Returns at once. looked() comes from the event loop, unless another call follows; on a disk
    // that does not answer it never comes.
    void look(const Questions& questions);

signals:
    // By key, one or several sentences about the setting's places.
    void looked(const QHash<QString, QString>& said);

private:
    struct Link;

    static QString say(const Question& question);

    std::shared_ptr<Link> link_;
    int turn_ = 0;
};

}  // namespace hearth::ui
