#include "markdown/math_symbols.h"

#include <QHash>

namespace hearth::ui {

namespace {

struct Row {
    const char* names;  // with blanks between
    char32_t code;
};

constexpr Row kOrdinary[] = {
    {"alpha", U'α'},
    {"beta", U'β'},
    {"gamma", U'γ'},
    {"delta", U'δ'},
    {"epsilon", U'ϵ'},
    {"varepsilon", U'ε'},
    {"zeta", U'ζ'},
    {"eta", U'η'},
    {"theta", U'θ'},
    {"vartheta", U'ϑ'},
    {"iota", U'ι'},
    {"kappa", U'κ'},
    {"varkappa", U'ϰ'},
    {"lambda", U'λ'},
    {"mu", U'μ'},
    {"nu", U'ν'},
    {"xi", U'ξ'},
    {"omicron", U'ο'},
    {"pi", U'π'},
    {"varpi", U'ϖ'},
    {"rho", U'ρ'},
    {"varrho", U'ϱ'},
    {"sigma", U'σ'},
    {"varsigma", U'ς'},
    {"tau", U'τ'},
    {"upsilon", U'υ'},
    {"phi", U'ϕ'},
    {"varphi", U'φ'},
    {"chi", U'χ'},
    {"psi", U'ψ'},
    {"omega", U'ω'},
    {"digamma", U'ϝ'},
    {"Gamma varGamma", U'Γ'},
    {"Delta varDelta", U'Δ'},
    {"Theta varTheta", U'Θ'},
    {"Lambda varLambda", U'Λ'},
    {"Xi varXi", U'Ξ'},
    {"Pi varPi", U'Π'},
    {"Sigma varSigma", U'Σ'},
    {"Upsilon varUpsilon", U'Υ'},
    {"Phi varPhi", U'Φ'},
    {"Psi varPsi", U'Ψ'},
    {"Omega varOmega", U'Ω'},
    {"infty", U'∞'},
    {"partial", U'∂'},
    {"nabla", U'∇'},
    {"hbar hslash", U'ℏ'},
    {"ell", U'ℓ'},
    {"Re", U'ℜ'},
    {"Im", U'ℑ'},
    {"wp", U'℘'},
    {"aleph", U'ℵ'},
    {"beth", U'ℶ'},
    {"gimel", U'ℷ'},
    {"daleth", U'ℸ'},
    {"forall", U'∀'},
    {"exists", U'∃'},
    {"nexists", U'∄'},
    {"neg lnot", U'¬'},
    {"emptyset varnothing", U'∅'},
    {"angle", U'∠'},
    {"measuredangle", U'∡'},
    {"sphericalangle", U'∢'},
    {"triangle vartriangle", U'△'},
    {"triangledown", U'▽'},
    {"square Box", U'□'},
    {"blacksquare", U'■'},
    {"blacktriangle", U'▲'},
    {"lozenge Diamond", U'◊'},
    {"blacklozenge", U'⧫'},
    {"bigstar", U'★'},
    {"top", U'⊤'},
    {"bot", U'⊥'},
    {"prime", U'′'},
    {"backprime", U'‵'},
    {"clubsuit", U'♣'},
    {"diamondsuit", U'♢'},
    {"heartsuit", U'♡'},
    {"spadesuit", U'♠'},
    {"sharp", U'♯'},
    {"flat", U'♭'},
    {"natural", U'♮'},
    {"surd", U'√'},
    {"checkmark", U'✓'},
    {"degree", U'°'},
    {"complement", U'∁'},
    {"mho", U'℧'},
    {"eth", U'ð'},
    {"imath", U'ı'},
    {"jmath", U'ȷ'},
    {"vdots", U'⋮'},
    {"pounds", U'£'},
    {"euro", U'€'},
    {"yen", U'¥'},
    {"S", U'§'},
    {"P", U'¶'},
    {"copyright", U'©'},
    {"textregistered", U'®'},
    {"angstrom AA", U'Å'},
    {"aa", U'å'},
    {"ss", U'ß'},
    {"AE", U'Æ'},
    {"ae", U'æ'},
    {"O", U'Ø'},
    {"o", U'ø'},
    {"$ textdollar", U'$'},
    {"%", U'%'},
    {"#", U'#'},
    {"&", U'&'},
    {"_ textunderscore", U'_'},
    {"N", U'ℕ'},
    {"R", U'ℝ'},
    {"Z", U'ℤ'},
    {"ohm", U'Ω'},
    {"maltese", U'✠'},
    {"female", U'♀'},
    {"male", U'♂'},
};

constexpr Row kInner[] = {
    {"ldots dots dotsc mathellipsis textellipsis", U'…'},
    {"cdots dotsb dotsm dotsi", U'⋯'},
    {"ddots", U'⋱'},
    {"iddots", U'⋰'},
};

constexpr Row kBinary[] = {
    {"pm", U'±'},
    {"mp", U'∓'},
    {"times", U'×'},
    {"div", U'÷'},
    {"cdot centerdot", U'⋅'},
    {"ast", U'∗'},
    {"star", U'⋆'},
    {"circ", U'∘'},
    {"bigcirc", U'◯'},
    {"bullet", U'∙'},
    {"cap", U'∩'},
    {"cup", U'∪'},
    {"Cap doublecap", U'⋒'},
    {"Cup doublecup", U'⋓'},
    {"sqcap", U'⊓'},
    {"sqcup", U'⊔'},
    {"uplus", U'⊎'},
    {"vee lor", U'∨'},
    {"wedge land", U'∧'},
    {"veebar", U'⊻'},
    {"barwedge", U'⊼'},
    {"curlyvee", U'⋎'},
    {"curlywedge", U'⋏'},
    {"setminus smallsetminus", U'∖'},
    {"oplus", U'⊕'},
    {"ominus", U'⊖'},
    {"otimes", U'⊗'},
    {"oslash", U'⊘'},
    {"odot", U'⊙'},
    {"circledcirc", U'⊚'},
    {"circledast", U'⊛'},
    {"circleddash", U'⊝'},
    {"boxplus", U'⊞'},
    {"boxminus", U'⊟'},
    {"boxtimes", U'⊠'},
    {"boxdot", U'⊡'},
    {"dagger dag", U'†'},
    {"ddagger ddag", U'‡'},
    {"amalg", U'⨿'},
    {"wr", U'≀'},
    {"bigtriangleup", U'△'},
    {"bigtriangledown", U'▽'},
    {"diamond", U'⋄'},
    {"triangleleft", U'◁'},
    {"triangleright", U'▷'},
    {"lhd", U'⊲'},
    {"rhd", U'⊳'},
    {"unlhd", U'⊴'},
    {"unrhd", U'⊵'},
    {"ltimes", U'⋉'},
    {"rtimes", U'⋊'},
    {"leftthreetimes", U'⋋'},
    {"rightthreetimes", U'⋌'},
    {"divideontimes", U'⋇'},
    {"dotplus", U'∔'},
    {"intercal", U'⊺'},
};

constexpr Row kRelations[] = {
    {"leq le", U'≤'},
    {"geq ge", U'≥'},
    {"neq ne", U'≠'},
    {"lt", U'<'},
    {"gt", U'>'},
    {"ll", U'≪'},
    {"gg", U'≫'},
    {"lll", U'⋘'},
    {"ggg", U'⋙'},
    {"leqslant", U'⩽'},
    {"geqslant", U'⩾'},
    {"leqq", U'≦'},
    {"geqq", U'≧'},
    {"lesssim", U'≲'},
    {"gtrsim", U'≳'},
    {"lessapprox", U'⪅'},
    {"gtrapprox", U'⪆'},
    {"lessgtr", U'≶'},
    {"gtrless", U'≷'},
    {"nless", U'≮'},
    {"ngtr", U'≯'},
    {"nleq", U'≰'},
    {"ngeq", U'≱'},
    {"approx", U'≈'},
    {"approxeq", U'≊'},
    {"equiv", U'≡'},
    {"sim thicksim", U'∼'},
    {"nsim", U'≁'},
    {"simeq", U'≃'},
    {"backsim", U'∽'},
    {"cong", U'≅'},
    {"ncong", U'≇'},
    {"propto varpropto", U'∝'},
    {"in", U'∈'},
    {"ni owns", U'∋'},
    {"notin", U'∉'},
    {"subset", U'⊂'},
    {"supset", U'⊃'},
    {"subseteq", U'⊆'},
    {"supseteq", U'⊇'},
    {"subsetneq varsubsetneq", U'⊊'},
    {"supsetneq varsupsetneq", U'⊋'},
    {"nsubseteq", U'⊈'},
    {"nsupseteq", U'⊉'},
    {"Subset", U'⋐'},
    {"Supset", U'⋑'},
    {"sqsubset", U'⊏'},
    {"sqsupset", U'⊐'},
    {"sqsubseteq", U'⊑'},
    {"sqsupseteq", U'⊒'},
    {"mid shortmid", U'∣'},
    {"nmid", U'∤'},
    {"parallel shortparallel", U'∥'},
    {"nparallel", U'∦'},
    {"perp", U'⊥'},
    {"vdash", U'⊢'},
    {"dashv", U'⊣'},
    {"models vDash", U'⊨'},
    {"Vdash", U'⊩'},
    {"Vvdash", U'⊪'},
    {"nvdash", U'⊬'},
    {"nvDash", U'⊭'},
    {"prec", U'≺'},
    {"succ", U'≻'},
    {"preceq", U'⪯'},
    {"succeq", U'⪰'},
    {"preccurlyeq", U'≼'},
    {"succcurlyeq", U'≽'},
    {"precsim", U'≾'},
    {"succsim", U'≿'},
    {"nprec", U'⊀'},
    {"nsucc", U'⊁'},
    {"asymp", U'≍'},
    {"doteq", U'≐'},
    {"doteqdot Doteq", U'≑'},
    {"bowtie Join", U'⋈'},
    {"smile", U'⌣'},
    {"frown", U'⌢'},
    {"between", U'≬'},
    {"pitchfork", U'⋔'},
    {"triangleq", U'≜'},
    {"trianglelefteq", U'⊴'},
    {"trianglerighteq", U'⊵'},
    {"vartriangleleft", U'⊲'},
    {"vartriangleright", U'⊳'},
    {"ntriangleleft", U'⋪'},
    {"ntriangleright", U'⋫'},
    {"coloneqq coloneq colonequals", U'≔'},
    {"eqqcolon eqcolon", U'≕'},
    {"eqcirc", U'≖'},
    {"circeq", U'≗'},
    {"bumpeq", U'≏'},
    {"Bumpeq", U'≎'},
    {"therefore", U'∴'},
    {"because", U'∵'},
    {"to rightarrow", U'→'},
    {"gets leftarrow", U'←'},
    {"leftrightarrow", U'↔'},
    {"Rightarrow", U'⇒'},
    {"Leftarrow", U'⇐'},
    {"Leftrightarrow", U'⇔'},
    {"implies Longrightarrow", U'⟹'},
    {"impliedby Longleftarrow", U'⟸'},
    {"iff Longleftrightarrow", U'⟺'},
    {"longrightarrow", U'⟶'},
    {"longleftarrow", U'⟵'},
    {"longleftrightarrow", U'⟷'},
    {"mapsto", U'↦'},
    {"longmapsto", U'⟼'},
    {"hookrightarrow", U'↪'},
    {"hookleftarrow", U'↩'},
    {"uparrow", U'↑'},
    {"downarrow", U'↓'},
    {"updownarrow", U'↕'},
    {"Uparrow", U'⇑'},
    {"Downarrow", U'⇓'},
    {"Updownarrow", U'⇕'},
    {"nearrow", U'↗'},
    {"searrow", U'↘'},
    {"swarrow", U'↙'},
    {"nwarrow", U'↖'},
    {"rightharpoonup", U'⇀'},
    {"rightharpoondown", U'⇁'},
    {"leftharpoonup", U'↼'},
    {"leftharpoondown", U'↽'},
    {"rightleftharpoons", U'⇌'},
    {"leftrightharpoons", U'⇋'},
    {"rightleftarrows", U'⇄'},
    {"leftrightarrows", U'⇆'},
    {"rightrightarrows", U'⇉'},
    {"leftleftarrows", U'⇇'},
    {"upuparrows", U'⇈'},
    {"downdownarrows", U'⇊'},
    {"leadsto rightsquigarrow", U'⇝'},
    {"twoheadrightarrow", U'↠'},
    {"twoheadleftarrow", U'↞'},
    {"rightarrowtail", U'↣'},
    {"Rrightarrow", U'⇛'},
    {"Lleftarrow", U'⇚'},
    {"curvearrowright", U'↷'},
    {"curvearrowleft", U'↶'},
    {"circlearrowright", U'↻'},
    {"circlearrowleft", U'↺'},
    {"multimap", U'⊸'},
    {"nrightarrow", U'↛'},
    {"nleftarrow", U'↚'},
    {"nleftrightarrow", U'↮'},
    {"nRightarrow", U'⇏'},
    {"nLeftarrow", U'⇍'},
    {"nLeftrightarrow", U'⇎'},
};

// Their scripts stand above and below in display style.
constexpr Row kOperators[] = {
    {"sum", U'∑'},      {"prod", U'∏'},     {"coprod", U'∐'},  {"bigcup", U'⋃'},
    {"bigcap", U'⋂'},   {"bigsqcup", U'⨆'}, {"bigvee", U'⋁'},  {"bigwedge", U'⋀'},
    {"bigoplus", U'⨁'}, {"biguplus", U'⨄'}, {"bigodot", U'⨀'}, {"bigotimes", U'⨂'},
};

constexpr Row kIntegrals[] = {
    {"int", U'∫'},  {"iint", U'∬'},  {"iiint", U'∭'},
    {"oint", U'∮'}, {"oiint", U'∯'}, {"oiiint", U'∰'},
};

constexpr Row kOpen[] = {
    {"{ lbrace", U'{'}, {"langle", U'⟨'}, {"lfloor", U'⌊'}, {"lceil", U'⌈'},     {"lvert", U'|'},
    {"lVert", U'‖'},    {"lbrack", U'['}, {"lgroup", U'⟮'}, {"llbracket", U'⟦'}, {"ulcorner", U'⌜'},
};

constexpr Row kClose[] = {
    {"} rbrace", U'}'}, {"rangle", U'⟩'}, {"rfloor", U'⌋'}, {"rceil", U'⌉'},     {"rvert", U'|'},
    {"rVert", U'‖'},    {"rbrack", U']'}, {"rgroup", U'⟯'}, {"rrbracket", U'⟧'}, {"urcorner", U'⌝'},
};

constexpr Row kUpright[] = {
    {"| Vert", U'‖'}, {"vert", U'|'}, {"backslash", U'\\'}, {"lmoustache", U'⎰'}};

constexpr Row kPunctuation[] = {{"colon", U':'}};

using SymbolTable = QHash<QString, MathSymbol>;

SymbolTable symbolTable() {
    SymbolTable table;
    const auto add = [&table](const auto& rows, MathClass cls, MathKind kind, MathLimits limits) {
        for (const Row& row : rows) {
            const QStringList names = QString::fromLatin1(row.names).split(QLatin1Char(' '));
            for (const QString& name : names) {
                table.insert(name, {row.code, cls, kind, limits});
            }
        }
    };
    const auto plain = [&add](const auto& rows, MathClass cls) {
        add(rows, cls, MathKind::Symbol, MathLimits::Never);
    };
    plain(kOrdinary, MathClass::Ord);
    plain(kUpright, MathClass::Ord);
    plain(kInner, MathClass::Inner);
    plain(kBinary, MathClass::Bin);
    plain(kRelations, MathClass::Rel);
    plain(kOpen, MathClass::Open);
    plain(kClose, MathClass::Close);
    plain(kPunctuation, MathClass::Punct);
    add(kOperators, MathClass::Op, MathKind::Operator, MathLimits::Display);
    add(kIntegrals, MathClass::Op, MathKind::Operator, MathLimits::Never);
    return table;
}

const SymbolTable& symbols() {
    static const SymbolTable table = symbolTable();
    return table;
}

// The characters of the tables, for a formula that holds them as such.
const QHash<char32_t, MathSymbol>& characters() {
    static const QHash<char32_t, MathSymbol> table = [] {
        QHash<char32_t, MathSymbol> made;
        for (const MathSymbol& symbol : symbols()) {
            // A character of two classes, as the triangle, is a sign.
            const auto known = made.constFind(symbol.code);
            if (known == made.cend() || symbol.cls == MathClass::Ord) {
                made.insert(symbol.code, symbol);
            }
        }
        for (const char32_t letter : U"0123456789.@\"`|") {
            made.insert(letter, {letter, MathClass::Ord});
        }
        for (const char32_t letter : U"([") {
            made.insert(letter, {letter, MathClass::Open});
        }
        for (const char32_t letter : U")]!?") {
            made.insert(letter, {letter, MathClass::Close});
        }
        for (const char32_t letter : U",;") {
            made.insert(letter, {letter, MathClass::Punct});
        }
        for (const char32_t letter : U"=<>:") {
            made.insert(letter, {letter, MathClass::Rel});
        }
        made.insert(U'+', {U'+', MathClass::Bin});
        made.insert(U'-', {U'−', MathClass::Bin});
        made.insert(U'−', {U'−', MathClass::Bin});
        made.insert(U'*', {U'∗', MathClass::Bin});
        made.insert(U'·', {U'⋅', MathClass::Bin});
        made.insert(U'/', {U'/', MathClass::Ord});
        made.insert(U'⊥', {U'⊥', MathClass::Rel});
        // The end of the texts above, and what a formula writes with a backslash.
        for (const char32_t special : {U'\0', U'#', U'$', U'%', U'&', U'_', U'{', U'}', U'\\'}) {
            made.remove(special);
        }
        return made;
    }();
    return table;
}

}  // namespace

std::optional<MathSymbol> mathSymbol(const QString& command) {
    const auto found = symbols().constFind(command);
    return found == symbols().cend() ? std::nullopt : std::optional(*found);
}

std::optional<MathSymbol> mathCharacter(char32_t letter) {
    const auto found = characters().constFind(letter);
    if (found != characters().cend()) {
        return *found;
    }
    const bool isLetter = QChar::isLetterOrNumber(letter);
    return isLetter ? std::optional(MathSymbol{letter, MathClass::Ord}) : std::nullopt;
}

bool isMathVariable(char32_t letter) {
    const bool latin = (letter >= U'a' && letter <= U'z') || (letter >= U'A' && letter <= U'Z');
    const bool greek = letter >= U'α' && letter <= U'ω';
    return latin || greek ||
           QStringView(u"ϵϑϰϖϱϕϝıȷ")
               .contains(QChar(static_cast<char16_t>(letter > 0xFFFF ? 0 : letter)));
}

}  // namespace hearth::ui
