// The commands of math_symbols.h that are no characters.
#include <QHash>
#include <array>
#include <utility>

#include "markdown/math_symbols.h"

namespace hearth::ui {

std::optional<MathFunction> mathFunction(const QString& command) {
    static const QHash<QString, MathFunction> table = [] {
        QHash<QString, MathFunction> made;
        const QString plain = QStringLiteral(
            "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan arccot arcsec arccsc "
            "arg deg dim exp hom ker lg ln log sgn sign erf tr rank diag");
        for (const QString& name : plain.split(QLatin1Char(' '))) {
            made.insert(name, {name, MathLimits::Never});
        }
        const QString limits = QStringLiteral("lim max min sup inf det gcd lcm Pr argmax argmin");
        for (const QString& name : limits.split(QLatin1Char(' '))) {
            made.insert(name, {name, MathLimits::Display});
        }
        made.insert(QStringLiteral("limsup"), {QStringLiteral("lim sup"), MathLimits::Display});
        made.insert(QStringLiteral("liminf"), {QStringLiteral("lim inf"), MathLimits::Display});
        return made;
    }();
    const auto found = table.constFind(command);
    return found == table.cend() ? std::nullopt : std::optional(*found);
}

std::optional<QString> mathDelimiter(const QString& token) {
    if (token == QLatin1String(".")) {
        return QString();
    }
    if (token == QLatin1String("<")) {
        return QStringLiteral("⟨");
    }
    if (token == QLatin1String(">")) {
        return QStringLiteral("⟩");
    }
    if (token.size() == 1) {
        const bool known = QStringView(u"()[]|/‖⟨⟩⌊⌋⌈⌉").contains(token.front());
        return known ? std::optional(token) : std::nullopt;
    }
    if (!token.startsWith(QLatin1Char('\\'))) {
        return std::nullopt;
    }
    const auto symbol = mathSymbol(token.mid(1));
    constexpr QStringView kKnown = u"{}[]|‖⟨⟩⌊⌋⌈⌉⟮⟯⟦⟧⎰⌜⌝\\↑↓↕⇑⇓⇕";
    if (!symbol || symbol->code > 0xFFFF ||
        !kKnown.contains(QChar(static_cast<char16_t>(symbol->code)))) {
        return std::nullopt;
    }
    return QString::fromUcs4(&symbol->code, 1);
}

std::optional<MathMark> mathMark(const QString& command) {
    static const QHash<QString, MathMark> table = {
        {QStringLiteral("hat"), MathMark::Hat},
        {QStringLiteral("check"), MathMark::Check},
        {QStringLiteral("tilde"), MathMark::Tilde},
        {QStringLiteral("bar"), MathMark::Bar},
        {QStringLiteral("breve"), MathMark::Breve},
        {QStringLiteral("vec"), MathMark::Vector},
        {QStringLiteral("dot"), MathMark::Dot},
        {QStringLiteral("ddot"), MathMark::TwoDots},
        {QStringLiteral("dddot"), MathMark::ThreeDots},
        {QStringLiteral("mathring"), MathMark::Ring},
        {QStringLiteral("acute"), MathMark::Acute},
        {QStringLiteral("grave"), MathMark::Grave},
        {QStringLiteral("widehat"), MathMark::WideHat},
        {QStringLiteral("widetilde"), MathMark::WideTilde},
        {QStringLiteral("overline"), MathMark::Overline},
        {QStringLiteral("underline"), MathMark::Underline},
        {QStringLiteral("overrightarrow"), MathMark::RightArrow},
        {QStringLiteral("overleftarrow"), MathMark::LeftArrow},
        {QStringLiteral("overleftrightarrow"), MathMark::BothArrow},
        {QStringLiteral("overbrace"), MathMark::Overbrace},
        {QStringLiteral("underbrace"), MathMark::Underbrace},
        {QStringLiteral("boxed"), MathMark::Box},
        {QStringLiteral("fbox"), MathMark::Box},
        {QStringLiteral("cancel"), MathMark::Cancel},
        {QStringLiteral("bcancel"), MathMark::BackCancel},
        {QStringLiteral("xcancel"), MathMark::CrossCancel},
        {QStringLiteral("phantom"), MathMark::Phantom},
        {QStringLiteral("hphantom"), MathMark::HorizontalPhantom},
        {QStringLiteral("vphantom"), MathMark::VerticalPhantom},
    };
    const auto found = table.constFind(command);
    return found == table.cend() ? std::nullopt : std::optional(*found);
}

char32_t mathAlphabet(const QString& command, char32_t letter) {
    struct Alphabet {
        char32_t upper, lower, digits;
        // Letters that Unicode had before it had the alphabet.
        std::array<std::pair<char32_t, char32_t>, 11> others;
    };
    static constexpr Alphabet kDouble = {0x1D538,
                                         0x1D552,
                                         0x1D7D8,
                                         {{{U'C', U'ℂ'},
                                           {U'H', U'ℍ'},
                                           {U'N', U'ℕ'},
                                           {U'P', U'ℙ'},
                                           {U'Q', U'ℚ'},
                                           {U'R', U'ℝ'},
                                           {U'Z', U'ℤ'}}}};
    static constexpr Alphabet kScript = {0x1D49C,
                                         0x1D4B6,
                                         0,
                                         {{{U'B', U'ℬ'},
                                           {U'E', U'ℰ'},
                                           {U'F', U'ℱ'},
                                           {U'H', U'ℋ'},
                                           {U'I', U'ℐ'},
                                           {U'L', U'ℒ'},
                                           {U'M', U'ℳ'},
                                           {U'R', U'ℛ'},
                                           {U'e', U'ℯ'},
                                           {U'g', U'ℊ'},
                                           {U'o', U'ℴ'}}}};
    static constexpr Alphabet kFraktur = {
        0x1D504,
        0x1D51E,
        0,
        {{{U'C', U'ℭ'}, {U'H', U'ℌ'}, {U'I', U'ℑ'}, {U'R', U'ℜ'}, {U'Z', U'ℨ'}}}};
    const Alphabet& alphabet = command == QLatin1String("mathbb")     ? kDouble
                               : command == QLatin1String("mathfrak") ? kFraktur
                                                                      : kScript;
    for (const auto& [from, to] : alphabet.others) {
        if (from == letter && to != 0) {
            return to;
        }
    }
    if (letter >= U'A' && letter <= U'Z') {
        return alphabet.upper + (letter - U'A');
    }
    if (letter >= U'a' && letter <= U'z') {
        return alphabet.lower + (letter - U'a');
    }
    const bool digit = letter >= U'0' && letter <= U'9' && alphabet.digits != 0;
    return digit ? alphabet.digits + (letter - U'0') : 0;
}

QString struckOut(char32_t letter) {
    const QString both = QString::fromUcs4(&letter, 1) + QChar(0x338);
    const QString joined = both.normalized(QString::NormalizationForm_C);
    return joined.size() < both.size() ? joined : QString();
}

}  // namespace hearth::ui
