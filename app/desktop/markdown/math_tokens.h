// The tokens of TeX math.
#pragma once

#include <QString>
#include <QStringView>

namespace hearth::ui {

struct MathToken {
    enum class Kind : quint8 { End, Character, Command, Open, Close, Sup, Sub, Cell, Line, Bad };
    Kind kind = Kind::End;
    QString text;  // Character: itself; Command: its name without the backslash

    bool isCommand(const char* name) const {
        return kind == Kind::Command && text == QLatin1String(name);
    }
    bool isCharacter(char letter) const {
        return kind == Kind::Character && text == QLatin1Char(letter);
    }
};

// Reads from the beginning of a source to its end. Blanks between tokens are skipped.
class MathTokens {
public:
    explicit MathTokens(QStringView source) : source_(source) {}

    MathToken peek() const;
    MathToken next();
    // The text in braces that comes next, as it stands; null: it is none, or without an end.
    QString bracedText();
    // The text in brackets that comes next; null: none comes.
    QString bracketedText();
    // A star right behind the last token is skipped.
    bool takeStar();

private:
    void skipBlanks();

    QStringView source_;
    qsizetype at_ = 0;
};

}  // namespace hearth::ui
