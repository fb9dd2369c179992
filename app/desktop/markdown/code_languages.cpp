#include "markdown/code_languages.h"

#include <map>
#include <utility>

namespace hearth::ui {

namespace {

constexpr CodeSpan kQuotes = {"\"", "\"", WordKind::Text, false, true};
constexpr CodeSpan kSingle = {"'", "'", WordKind::Text, false, true};
constexpr CodeSpan kBackticks = {"`", "`", WordKind::Text, true, true};
constexpr CodeSpan kTripleQuotes = {"\"\"\"", "\"\"\"", WordKind::Text, true, true};
constexpr CodeSpan kTripleSingle = {"'''", "'''", WordKind::Text, true, true};
constexpr CodeSpan kComment = {"/*", "*/", WordKind::Comment, true, false};
constexpr CodeSpan kMarkupComment = {"<!--", "-->", WordKind::Comment, true, false};
// A quote inside is written twice: two texts, one behind the other.
constexpr CodeSpan kPlainQuotes = {"\"", "\"", WordKind::Text, true, false};
constexpr CodeSpan kPlainSingle = {"'", "'", WordKind::Text, true, false};

constexpr CodeLanguage kLanguages[] = {
    {.names = "c h",
     .keywords =
         "auto break case const continue default do else enum extern for goto if inline register "
         "restrict return sizeof static struct switch typedef union volatile while _Alignas "
         "_Atomic _Generic _Noreturn _Static_assert NULL true false",
     .types = "bool char double float int long short signed unsigned void size_t ssize_t ptrdiff_t "
              "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t "
              "uintptr_t FILE",
     .lineComments = {"//", ""},
     .spans = {kComment, kQuotes, kSingle},
     .directive = '#'},
    {.names = "cpp c++ cc cxx hpp hxx h++ cuda glsl",
     .keywords =
         "alignas alignof and asm auto break case catch class co_await co_return co_yield concept "
         "const const_cast consteval constexpr constinit continue decltype default delete do "
         "dynamic_cast else enum explicit export extern false final for friend goto if import "
         "inline module mutable namespace new noexcept not nullptr operator or override private "
         "protected public register reinterpret_cast requires return sizeof static static_assert "
         "static_cast struct switch template this thread_local throw true try typedef typeid "
         "typename union using virtual volatile while",
     .types = "bool char char8_t char16_t char32_t double float int long short signed unsigned "
              "void wchar_t size_t string string_view vector map set array span optional variant "
              "tuple pair unique_ptr shared_ptr unordered_map unordered_set int8_t int16_t int32_t "
              "int64_t uint8_t uint16_t uint32_t uint64_t std",
     .lineComments = {"//", ""},
     .spans = {kComment, kQuotes, kSingle},
     .directive = '#'},
    {.names = "cs csharp c#",
     .keywords =
         "abstract as async await base break case catch checked class const continue default "
         "delegate do else enum event explicit extern false finally fixed for foreach get goto if "
         "implicit in init interface internal is lock namespace new null operator out override "
         "params partial private protected public readonly record ref return sealed set sizeof "
         "stackalloc static struct switch this throw true try typeof unchecked unsafe using var "
         "virtual volatile when where while with yield",
     .types = "bool byte char decimal double float int long object sbyte short string uint ulong "
              "ushort void dynamic Task List Dictionary IEnumerable Console String Exception",
     .lineComments = {"//", ""},
     .spans = {kComment, CodeSpan{"@\"", "\"", WordKind::Text, true, false}, kTripleQuotes, kQuotes,
               kSingle},
     .directive = '#'},
    {.names = "java groovy",
     .keywords =
         "abstract assert break case catch class const continue default do else enum extends final "
         "finally for goto if implements import instanceof interface native new package permits "
         "private protected public record return sealed static strictfp super switch synchronized "
         "this throw throws transient try var volatile while yield true false null",
     .types = "boolean byte char double float int long short void String Integer Long Double "
              "Boolean Object List Map Set ArrayList HashMap Optional Stream Exception",
     .lineComments = {"//", ""},
     .spans = {kComment, kTripleQuotes, kQuotes, kSingle}},
    {.names = "js javascript jsx mjs cjs node ts typescript tsx",
     .keywords =
         "abstract as async await break case catch class const continue debugger declare default "
         "delete do else enum export extends finally for from function get if implements import in "
         "infer instanceof interface is keyof let namespace new of private protected public "
         "readonly return satisfies set static super switch this throw try type typeof var void "
         "while with yield true false null undefined NaN Infinity",
     .types = "any bigint boolean never number object string symbol unknown Array Boolean Date "
              "Error Map Math JSON Number Object Promise Record RegExp Set String Symbol console "
              "document window",
     .lineComments = {"//", ""},
     .spans = {kComment, kBackticks, kQuotes, kSingle},
     .inWords = "$"},
    {.names = "py python python3 ipython",
     .keywords =
         "and as assert async await break case class continue def del elif else except finally for "
         "from global if import in is lambda match nonlocal not or pass raise return try while "
         "with yield True False None self cls",
     .types =
         "bool bytes bytearray complex dict float frozenset int list object set str tuple type "
         "Exception ValueError TypeError KeyError print len range enumerate zip map filter "
         "open super isinstance sorted sum min max abs any all",
     .lineComments = {"#", ""},
     .spans = {kTripleQuotes, kTripleSingle, kQuotes, kSingle}},
    {.names = "rs rust",
     .keywords =
         "as async await break const continue crate dyn else enum extern false fn for if impl in "
         "let loop match mod move mut pub ref return self Self static struct super trait true type "
         "union unsafe use where while macro_rules",
     .types = "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize Option "
              "Some None Result Ok Err Box Rc Arc Vec String HashMap HashSet Iterator Clone Copy "
              "Debug Default",
     .lineComments = {"//", ""},
     .spans = {kComment, kQuotes}},
    {.names = "go golang",
     .keywords =
         "break case chan const continue default defer else fallthrough for func go goto if import "
         "interface map package range return select struct switch type var true false nil iota",
     .types = "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 "
              "int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr append cap close "
              "copy delete len make panic print println recover",
     .lineComments = {"//", ""},
     .spans = {kComment, CodeSpan{"`", "`", WordKind::Text, true, false}, kQuotes, kSingle}},
    {.names = "swift",
     .keywords =
         "actor as associatedtype async await break case catch class continue convenience default "
         "defer deinit do else enum extension fallthrough false fileprivate final for func get "
         "guard if import in init inout internal is lazy let mutating nil open operator override "
         "private protocol public repeat rethrows return self Self set some static struct "
         "subscript super switch throw throws true try typealias var weak where while",
     .types = "Any Array Bool Character Data Date Dictionary Double Error Float Int Optional Set "
              "String UInt URL View Void",
     .lineComments = {"//", ""},
     .spans = {kComment, kTripleQuotes, kQuotes}},
    {.names = "kt kotlin kts scala",
     .keywords =
         "abstract actual annotation as break by case catch class companion const constructor "
         "continue crossinline data def do else enum expect extends external false final finally "
         "for fun given if implicit import in infix init inline inner interface internal is "
         "lateinit lazy match new noinline null object open operator out override package private "
         "protected public reified return sealed super suspend tailrec this throw trait true try "
         "type typealias val var vararg when where while with yield",
     .types = "Any Array Boolean Byte Char Double Float Int List Long Map Nothing Option Seq Set "
              "Short String Unit MutableList MutableMap Future",
     .lineComments = {"//", ""},
     .spans = {kComment, kTripleQuotes, kQuotes, kSingle}},
    {.names = "dart",
     .keywords =
         "abstract as assert async await base break case catch class const continue covariant "
         "default deferred do else enum export extends extension external factory false final "
         "finally for get hide if implements import in interface is late library mixin new null of "
         "on operator part required rethrow return sealed set show static super switch sync this "
         "throw true try typedef var when while with yield",
     .types = "bool double dynamic int num void Future Iterable List Map Object Set Stream String "
              "Widget BuildContext",
     .lineComments = {"//", ""},
     .spans = {kComment, kTripleQuotes, kTripleSingle, kQuotes, kSingle}},
    {.names = "rb ruby",
     .keywords =
         "BEGIN END alias and begin break case class def defined? do else elsif end ensure false "
         "for if in module next nil not or redo rescue retry return self super then true undef "
         "unless until when while yield require require_relative include extend attr_accessor "
         "attr_reader attr_writer private protected public raise",
     .types = "Array Float Hash Integer String Symbol Struct Time puts print p lambda proc",
     .lineComments = {"#", ""},
     .spans = {kQuotes, kSingle, kBackticks},
     .inWords = "?@$"},
    {.names = "php",
     .keywords =
         "abstract and array as break callable case catch class clone const continue declare "
         "default do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile "
         "enum extends final finally fn for foreach function global goto if implements include "
         "include_once instanceof insteadof interface isset list match namespace new or print "
         "private protected public readonly require require_once return static switch throw trait "
         "try unset use var while xor yield true false null self parent",
     .types = "bool float int iterable mixed never object string void exception",
     .lineComments = {"//", "#"},
     .spans = {kComment, kQuotes, kSingle},
     .ignoresCase = true,
     .inWords = "$"},
    {.names = "pl perl",
     .keywords =
         "and cmp continue do else elsif eq for foreach ge given gt if last le local lt my ne next "
         "no not or our package print redo require return say sub undef unless until use when "
         "while xor die warn shift push pop keys values defined ref bless",
     .types = "strict warnings",
     .lineComments = {"#", ""},
     .spans = {kQuotes, kSingle, kBackticks},
     .inWords = "$@%"},
    {.names = "lua",
     .keywords = "and break do else elseif end false for function goto if in local nil not or "
                 "repeat return then true until while",
     .types = "assert error ipairs math next os pairs pcall print require select setmetatable "
              "string table tonumber tostring type io",
     .lineComments = {"--", ""},
     .spans = {CodeSpan{"--[[", "]]", WordKind::Comment, true, false},
               CodeSpan{"[[", "]]", WordKind::Text, true, false}, kQuotes, kSingle}},
    {.names = "r",
     .keywords =
         "break else FALSE for function if in Inf NA NaN next NULL repeat return TRUE while "
         "library require source",
     .types = "c character data.frame factor integer list logical matrix numeric vector print "
              "paste mean sum length lapply sapply apply",
     .lineComments = {"#", ""},
     .spans = {kQuotes, kSingle, kBackticks},
     .inWords = "."},
    {.names = "jl julia",
     .keywords =
         "abstract baremodule begin break catch const continue do else elseif end export false "
         "finally for function global if import in let local macro module mutable nothing "
         "primitive quote return struct true try type using where while",
     .types = "Any Array Bool Char Dict Float32 Float64 Int Int32 Int64 Matrix Nothing String "
              "Symbol Tuple UInt8 Vector println",
     .lineComments = {"#", ""},
     .spans = {CodeSpan{"#=", "=#", WordKind::Comment, true, false}, kTripleQuotes, kQuotes},
     .inWords = "!@"},
    {.names = "hs haskell",
     .keywords =
         "as case class data default deriving do else family forall foreign hiding if import in "
         "infix infixl infixr instance let module newtype of qualified then type where",
     .types = "Bool Char Double Either Float IO Int Integer Just Left Maybe Monad Nothing Right "
              "String True False Show Eq Ord Functor Applicative",
     .lineComments = {"--", ""},
     .spans = {CodeSpan{"{-", "-}", WordKind::Comment, true, false}, kQuotes},
     .inWords = "'"},
    {.names = "sh bash shell zsh console terminal fish",
     .keywords =
         "alias break builtin case continue declare do done elif else esac eval exec exit export "
         "fi for function if in local readonly return select set shift source then trap unset "
         "until while",
     .types = "awk cat cd chmod chown cp curl cut date docker echo find git grep head kill ls make "
              "mkdir mv npm pip printf pwd python read rm sed sort sudo tail tar test touch tr "
              "uniq wget xargs",
     .lineComments = {"#", ""},
     .spans = {CodeSpan{"\"", "\"", WordKind::Text, true, true},
               CodeSpan{"'", "'", WordKind::Text, true, false}, kBackticks},
     .inWords = "$"},
    {.names = "ps1 powershell pwsh",
     .keywords =
         "begin break catch class continue data do dynamicparam else elseif end enum exit filter "
         "finally for foreach function if in param process return switch throw trap try until "
         "using while",
     .types = "get-childitem get-content write-host write-output set-content new-object "
              "select-object where-object foreach-object out-file string int bool",
     .lineComments = {"#", ""},
     .spans = {CodeSpan{"<#", "#>", WordKind::Comment, true, false}, kQuotes, kPlainSingle},
     .ignoresCase = true,
     .inWords = "$-"},
    {.names = "sql mysql postgres postgresql sqlite plsql tsql",
     .keywords =
         "add all alter and as asc begin between by cascade case check column commit constraint "
         "create cross database default delete desc distinct drop else end except exists explain "
         "false foreign from full function grant group having if in index inner insert intersect "
         "into is join key left like limit not null offset on or order outer over partition "
         "primary procedure recursive references returning revoke right rollback select set table "
         "then transaction trigger true truncate union unique update using values view when where "
         "with",
     .types = "bigint blob boolean char date datetime decimal double float int integer json jsonb "
              "numeric real serial smallint text time timestamp uuid varchar avg coalesce count "
              "max min now sum",
     .lineComments = {"--", "#"},
     .spans = {kComment, kPlainSingle, kPlainQuotes,
               CodeSpan{"`", "`", WordKind::Text, false, false}},
     .ignoresCase = true},
    {.names = "html xml xhtml svg vue xaml plist markup",
     .spans = {kMarkupComment, CodeSpan{"<![CDATA[", "]]>", WordKind::Text, true, false}},
     .form = CodeForm::Markup},
    {.names = "css scss sass less",
     .keywords = "@media @import @font-face @keyframes @supports @include @mixin @use @extend "
                 "important",
     .types = "auto block flex grid inline none inherit initial unset relative absolute fixed "
              "sticky center left right top bottom solid bold normal",
     .lineComments = {"//", ""},
     .spans = {kComment, kQuotes, kSingle},
     .form = CodeForm::Keys,
     .inWords = "-@$"},
    {.names = "json jsonc json5 jsonl geojson",
     .keywords = "true false null",
     .lineComments = {"//", ""},
     .spans = {kComment, kQuotes},
     .form = CodeForm::Keys},
    {.names = "yaml yml",
     .keywords = "true false null yes no on off",
     .lineComments = {"#", ""},
     .spans = {kQuotes, kPlainSingle},
     .form = CodeForm::Keys,
     .inWords = "-."},
    {.names = "toml ini cfg conf properties env dotenv desktop",
     .keywords = "true false",
     .lineComments = {"#", ";"},
     .spans = {kTripleQuotes, kTripleSingle, kQuotes,
               CodeSpan{"'", "'", WordKind::Text, false, false}},
     .form = CodeForm::Keys,
     .inWords = "-."},
    {.names = "make makefile mk cmake",
     .keywords = "define else endef endif export ifdef ifeq ifndef ifneq include override unexport "
                 "vpath add_executable add_library add_subdirectory cmake_minimum_required "
                 "endforeach endfunction find_package foreach function if message project set "
                 "target_include_directories target_link_libraries",
     .types = "PRIVATE PUBLIC INTERFACE REQUIRED STATIC SHARED VERSION",
     .lineComments = {"#", ""},
     .spans = {kQuotes, kSingle},
     .inWords = "$"},
    {.names = "dockerfile docker containerfile",
     .keywords = "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL "
                 "STOPSIGNAL USER VOLUME WORKDIR AS",
     .lineComments = {"#", ""},
     .spans = {kQuotes, kSingle},
     .inWords = "$"},
    {.names = "diff patch", .form = CodeForm::Changes},
};

}  // namespace

const CodeLanguage* codeLanguage(const QString& name) {
    static const QHash<QString, const CodeLanguage*> byName = [] {
        QHash<QString, const CodeLanguage*> made;
        for (const CodeLanguage& language : kLanguages) {
            const QStringList names = QString::fromLatin1(language.names).split(QLatin1Char(' '));
            for (const QString& one : names) {
                made.insert(one, &language);
            }
        }
        return made;
    }();
    return byName.value(name);
}

const QHash<QString, WordKind>& codeWords(const CodeLanguage& language) {
    static const std::map<const CodeLanguage*, QHash<QString, WordKind>> all = [] {
        std::map<const CodeLanguage*, QHash<QString, WordKind>> made;
        for (const CodeLanguage& one : kLanguages) {
            QHash<QString, WordKind>& words = made[&one];
            for (const auto& [list, kind] :
                 {std::pair{one.types, WordKind::Type}, {one.keywords, WordKind::Keyword}}) {
                const QStringList listed =
                    QString::fromLatin1(list).split(QLatin1Char(' '), Qt::SkipEmptyParts);
                for (const QString& word : listed) {
                    words.insert(one.ignoresCase ? word.toLower() : word, kind);
                }
            }
        }
        return made;
    }();
    return all.at(&language);
}

QStringList codeLanguageNames() {
    QStringList names;
    for (const CodeLanguage& language : kLanguages) {
        names += QString::fromLatin1(language.names).split(QLatin1Char(' '));
    }
    return names;
}

}  // namespace hearth::ui
