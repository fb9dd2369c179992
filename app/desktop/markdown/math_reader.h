// The recursive part of math_parser.h.
#pragma once

#include <QString>
#include <optional>

#include "markdown/math_environments.h"
#include "markdown/math_node.h"
#include "markdown/math_symbols.h"
#include "markdown/math_tokens.h"

namespace hearth::ui {

// Reads one source. Once anything in it is not understood, all that follows is worthless.
class MathReader {
public:
    // depth, nodes: of the formula around this one.
    explicit MathReader(QStringView source, int depth = 0, int nodes = 0)
        : tokens_(source), depth_(depth), nodes_(nodes) {}

    // The whole source; none: it is not understood.
    std::optional<MathNode> read();

private:
    enum class Until : quint8 { End, Brace, Right, Cell, CellOrBrace, Bracket };

    struct Face {
        std::optional<MathFace> face{};
        QString alphabet{};  // "mathbb"
        bool bold = false;   // variables stay slanted
    };

    // math_reader.cpp: rows, scripts, single characters
    MathNode readRow(Until until);
    bool ends(const MathToken& token, Until until);
    bool takeSwitch(const QString& command, MathNode& row, Until until);
    MathNode infix(const QString& command, MathNode& left, Until until);
    void element(MathNode& row);
    MathNode nucleus(const MathToken& token);
    void scripts(MathNode& row);
    MathNode argument();
    MathNode character(const QString& letter);
    MathNode symbol(const MathSymbol& symbol);
    MathNode fail();
    bool count(int more = 1);

    // math_commands.cpp: commands with arguments
    MathNode command(const QString& name);
    std::optional<MathNode> fractionOf(const QString& name);
    std::optional<MathNode> facesOf(const QString& name);
    std::optional<MathNode> delimitersOf(const QString& name);
    std::optional<MathNode> stacksOf(const QString& name);
    std::optional<MathNode> spaceOf(const QString& name);
    std::optional<MathNode> otherOf(const QString& name);
    MathNode radical();
    MathNode fence();
    MathNode struck();
    MathNode words(const QString& text, MathFace face);
    MathNode withFace(Face face);
    MathNode modulo(const QString& name);
    std::optional<QString> delimiter();

    // math_arrays.cpp: environments
    MathNode environment();
    MathNode array(const MathEnvironment& environment, const QString& closing);
    bool endOfArray(const QString& closing);
    bool takeRowLines(MathNode& array, int row);
    void takeRowEnd(MathNode& array);

    MathTokens tokens_;
    int depth_ = 0;
    int nodes_ = 0;
    int fences_ = 0;
    bool failed_ = false;
    Face face_;
    QString label_;  // of the row that is being read
};

// A length as \hspace takes it, "1em", in em; none: it is none.
std::optional<double> mathLength(const QString& text);

}  // namespace hearth::ui
