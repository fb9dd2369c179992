// Which programs a text starts: of shell scripts, and of C++ and Python.
#pragma once

#include <QString>
#include <QStringList>

namespace hearth::test {

// The programs that a shell script calls: the first word of each command, also after words that
// lead to another command. Quoted words are text, unless something is put into them. Words of the
// shell itself are among them. By name, without folders.
QStringList commands_in(QString text);

// The programs that literals of C++ or Python name where a program is started, and those of shell
// commands in them. By name, without folders.
QStringList started_in(const QString& text);

}  // namespace hearth::test
