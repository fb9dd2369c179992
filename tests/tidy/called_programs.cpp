#include "tidy/called_programs.h"

#include <QRegularExpression>

namespace hearth::test {

// The programs that a shell script calls: the first word of each command, also after words that
// lead to another command. Quoted words are text, unless something is put into them.
QStringList commands_in(QString text) {
    static const QRegularExpression kComment(R"((^|\s)#[^\n]*)",
                                             QRegularExpression::MultilineOption);
    static const QRegularExpression kHere(R"(<<-?\s*['"]?(\w+)['"]?([^\n]*)\n.*?\n\s*\1\n)",
                                          QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression kQuoted(R"("(?:[^"\\$`]|\\.)*")");
    static const QRegularExpression kCommand(
        R"((?:^|[|;&({`]|\b(?:then|do|else|if|elif|while|until|exec|command -v)\s|\b(?:sudo|env|xargs|setsid|unshare|chroot|setpriv|timeout|nice|strace|xvfb-run)\s(?:-\S+\s+|[0-9]+\s+)*))"
        R"((?=[ \t!]*(?:[A-Za-z_]\w*=\S*[ \t]+)*((?:/usr)?(?:/s?bin/)?[a-z][\w.+-]*)(?=[\s;|)&]|$)))",
        QRegularExpression::MultilineOption);
    text.replace(kComment, "\\1");
    text.replace(kHere, "\\2\n");
    text.replace(kQuoted, "\"\"");
    QStringList commands;
    for (auto it = kCommand.globalMatch(text); it.hasNext();) {
        const QString name = it.next().captured(1).section('/', -1);
        if (!commands.contains(name)) {
            commands << name;
        }
    }
    return commands;
}

QStringList started_in(const QString& text) {
    static const QRegularExpression kStart(
        R"re(\b(?:start|startDetached|run|call|callWithSystemTools|findExecutable|execute|execvp|execlp|setProgram|output_of|check_output|check_call|Popen)\((?:QStringList)?[({\[\s]*(?:QStringLiteral\()?"((?:/usr)?(?:/s?bin/)?[a-z][\w.+-]*)")re");
    static const QRegularExpression kPlace(R"re("(/(?:usr/)?s?bin/[\w.+-]+)")re");
    static const QRegularExpression kShell(R"re("-c",\s*((?:"(?:[^"\\]|\\.)*"\s*)+))re");
    QStringList programs;
    for (const auto& expression : {kStart, kPlace}) {
        for (auto it = expression.globalMatch(text); it.hasNext();) {
            programs << it.next().captured(1).section('/', -1);
        }
    }
    for (auto it = kShell.globalMatch(text); it.hasNext();) {
        QString script = it.next().captured(1);
        script.replace(QRegularExpression(R"re("\s*")re"), "").replace("\\\"", "\"");
        programs << commands_in(script.mid(1).trimmed().chopped(1).replace("\\n", "\n"));
    }
    return programs;
}

}  // namespace hearth::test
