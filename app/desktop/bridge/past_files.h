// The files in which the engine keeps what it remembers of conversations, so that a chat goes on
// after a restart without being read anew. They may go at any time.
#pragma once

#include <QString>

namespace hearth::ui {

class PastFiles {
public:
    // folder: empty: there are none.
    explicit PastFiles(const QString& folder) : folder_(folder) {}

    // The file of a conversation; empty: there is no folder, or the name is no plain word.
    QString pathOf(const QString& conversation) const;
    void remove(const QString& conversation) const;
    // Removes the files that were written longest ago until all take no more than `most` bytes.
    void trim(qint64 most) const;

private:
    QString folder_;
};

}  // namespace hearth::ui
