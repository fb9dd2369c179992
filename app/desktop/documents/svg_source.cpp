#include "documents/svg_source.h"

#include <QRegularExpression>
#include <QSet>
#include <QXmlStreamReader>
#include <QXmlStreamWriter>
#include <cmath>

namespace hearth::ui {

namespace {

constexpr qsizetype kHintCharacters = 4096;
constexpr qsizetype kLongestTitle = 200;
// A drawing that names no size of its own is at least this wide or high, as in a browser.
constexpr double kUsualSize = 300;

const QString kSvgSpace = QStringLiteral("http://www.w3.org/2000/svg");
const QString kLinkSpace = QStringLiteral("http://www.w3.org/1999/xlink");

// The elements that Qt Svg 6.4 draws. It would take the insides of others, such as clipPath, for
// shapes.
bool isDrawn(const QString& element) {
    static const QSet<QString> kDrawn = {QStringLiteral("svg"),
                                         QStringLiteral("g"),
                                         QStringLiteral("defs"),
                                         QStringLiteral("use"),
                                         QStringLiteral("switch"),
                                         QStringLiteral("path"),
                                         QStringLiteral("rect"),
                                         QStringLiteral("circle"),
                                         QStringLiteral("ellipse"),
                                         QStringLiteral("line"),
                                         QStringLiteral("polyline"),
                                         QStringLiteral("polygon"),
                                         QStringLiteral("text"),
                                         QStringLiteral("tspan"),
                                         QStringLiteral("linearGradient"),
                                         QStringLiteral("radialGradient"),
                                         QStringLiteral("stop"),
                                         QStringLiteral("style")};
    return kDrawn.contains(element);
}

// Elements that nobody would see.
bool isInvisible(const QString& element) {
    return element == QLatin1String("title") || element == QLatin1String("desc") ||
           element == QLatin1String("metadata") || element == QLatin1String("script");
}

// Attributes of effects that Qt Svg 6.4 does not know.
bool isUnknownEffect(const QString& attribute) {
    return attribute == QLatin1String("filter") || attribute == QLatin1String("mask") ||
           attribute == QLatin1String("clip-path") || attribute.startsWith(QLatin1String("marker"));
}

std::optional<double> finite(QStringView text) {
    bool ok = false;
    const double number = text.toDouble(&ok);
    return ok && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

// "0 0 24 24", also with commas. Empty: it is none.
QRectF viewBoxOf(QStringView text) {
    static const QRegularExpression kGap(QStringLiteral("[\\s,]+"));
    const QStringList parts = text.trimmed().toString().split(kGap);
    if (parts.size() != 4) {
        return {};
    }
    double numbers[4] = {};
    for (int i = 0; i < 4; ++i) {
        const auto number = finite(parts.at(i));
        if (!number) {
            return {};
        }
        numbers[i] = *number;
    }
    return numbers[2] > 0 && numbers[3] > 0 ? QRectF(numbers[0], numbers[1], numbers[2], numbers[3])
                                            : QRectF();
}

// The size and the view that the root names.
struct Frame {
    QRectF viewBox;  // empty: neither it nor a size is given
    QSizeF size;
};

Frame frameOf(const QXmlStreamAttributes& attributes) {
    Frame frame;
    const auto width = svgLength(attributes.value(QLatin1String("width")));
    const auto height = svgLength(attributes.value(QLatin1String("height")));
    frame.viewBox = viewBoxOf(attributes.value(QLatin1String("viewBox")));
    if (width && height) {
        frame.size = {*width, *height};
        if (frame.viewBox.isEmpty()) {
            frame.viewBox = QRectF(QPointF(), frame.size);
        }
    } else if (!frame.viewBox.isEmpty()) {
        const QSizeF box = frame.viewBox.size();
        const double scale = width ? *width / box.width()
                             : height
                                 ? *height / box.height()
                                 : std::max(1.0, kUsualSize / std::max(box.width(), box.height()));
        frame.size = box * scale;
    }
    if (!std::isfinite(frame.size.width()) || !std::isfinite(frame.size.height())) {
        frame.size = {};
    }
    return frame;
}

QString text(double number) {
    return QString::number(number, 'g', 12);
}

// The local name of "svg:rect" and "rect"; empty: it belongs to another vocabulary.
QString elementName(QStringView qualified) {
    const qsizetype colon = qualified.indexOf(QLatin1Char(':'));
    return colon < 0                                       ? qualified.toString()
           : qualified.left(colon) == QLatin1String("svg") ? qualified.mid(colon + 1).toString()
                                                           : QString();
}

// The colour that a style gives the ground of the whole drawing, which Qt Svg does not paint.
QString groundOf(const QString& style) {
    static const QRegularExpression kGround(
        QStringLiteral("(?:^|;)\\s*background(?:-color)?\\s*:\\s*(#[0-9a-fA-F]{3,8}|[a-zA-Z]+|"
                       "rgb\\([0-9,.%\\s]{1,40}\\))\\s*(?:;|$)"));
    return kGround.match(style).captured(1);
}

class Cleaner {
public:
    explicit Cleaner(const QString& source) : in_(source), out_(&result_.svg) {
        in_.setNamespaceProcessing(false);  // models forget to declare xlink
    }

    std::optional<SvgSource> clean() {
        while (!in_.atEnd() && !refused_) {
            take(in_.readNext());
        }
        if (refused_ || in_.hasError() || !rootSeen_) {
            return std::nullopt;
        }
        result_.title = result_.title.simplified().left(kLongestTitle);
        return result_;
    }

private:
    void take(QXmlStreamReader::TokenType token) {
        switch (token) {
            case QXmlStreamReader::StartElement:
                begin();
                return;
            case QXmlStreamReader::EndElement:
                end();
                return;
            case QXmlStreamReader::Characters:
                characters();
                return;
            case QXmlStreamReader::DTD:
                // The line that many drawings begin with says nothing; declarations in it do.
                refused_ = in_.text().contains(QLatin1Char('['));
                return;
            case QXmlStreamReader::EntityReference:
                refused_ = true;
                return;
            default:  // comments and instructions, which may name style sheets
                return;
        }
    }

    void begin() {
        ++depth_;
        refused_ = refused_ || depth_ > kDeepestSvg;
        if (refused_ || skippedAt_ > 0) {
            return;
        }
        QString name = elementName(in_.qualifiedName());
        if (depth_ == 1) {
            if (name == QLatin1String("svg")) {
                beginRoot();
            } else {
                refused_ = true;
            }
            return;
        }
        inTitle_ = depth_ == 2 && name == QLatin1String("title") && result_.title.isEmpty();
        if (name == QLatin1String("a")) {
            name = QStringLiteral("g");  // nothing can be followed in a picture
        }
        if (!isDrawn(name) || name == QLatin1String("svg") || styleAt_ > 0) {
            skippedAt_ = depth_;
            result_.leftOut = result_.leftOut || !(name.isEmpty() || isInvisible(name));
            return;
        }
        out_.writeStartElement(name);
        if (name == QLatin1String("style")) {
            styleAt_ = depth_;
            style_.clear();
            out_.writeAttribute(QStringLiteral("type"), QStringLiteral("text/css"));
            return;
        }
        writeAttributes(name);
    }

    void beginRoot() {
        rootSeen_ = true;
        const Frame frame = frameOf(in_.attributes());
        result_.size = frame.size;
        out_.writeStartElement(QStringLiteral("svg"));
        out_.writeAttribute(QStringLiteral("xmlns"), kSvgSpace);
        out_.writeAttribute(QStringLiteral("xmlns:xlink"), kLinkSpace);
        const QRectF& box = frame.viewBox;
        if (!box.isEmpty()) {
            out_.writeAttribute(
                QStringLiteral("viewBox"),
                QStringList({text(box.x()), text(box.y()), text(box.width()), text(box.height())})
                    .join(QLatin1Char(' ')));
        }
        writeAttributes(QStringLiteral("svg"));
        const QString ground = groundOf(in_.attributes().value(QLatin1String("style")).toString());
        if (!box.isEmpty() && !ground.isEmpty()) {
            out_.writeEmptyElement(QStringLiteral("rect"));
            out_.writeAttribute(QStringLiteral("x"), text(box.x()));
            out_.writeAttribute(QStringLiteral("y"), text(box.y()));
            out_.writeAttribute(QStringLiteral("width"), text(box.width()));
            out_.writeAttribute(QStringLiteral("height"), text(box.height()));
            out_.writeAttribute(QStringLiteral("fill"), ground);
            out_.writeAttribute(QStringLiteral("stroke"), QStringLiteral("none"));
        }
    }

    void writeAttributes(const QString& element) {
        static const QSet<QString> kOfRoot = {
            QStringLiteral("xmlns"),   QStringLiteral("width"),    QStringLiteral("height"),
            QStringLiteral("viewBox"), QStringLiteral("x"),        QStringLiteral("y"),
            QStringLiteral("version"), QStringLiteral("transform")};
        const QXmlStreamAttributes attributes = in_.attributes();
        const QLatin1String oldHref("xlink:href");
        const QLatin1String href("href");
        if (attributes.hasAttribute(href) || attributes.hasAttribute(oldHref)) {
            writeReference(element,
                           attributes.value(attributes.hasAttribute(href) ? href : oldHref));
        }
        for (const QXmlStreamAttribute& attribute : attributes) {
            const QString name = attribute.qualifiedName().toString();
            const QStringView value = attribute.value();
            if (name == href || name.contains(QLatin1Char(':')) ||
                name.startsWith(QLatin1String("on")) || name == QLatin1String("xmlns") ||
                (element == QLatin1String("svg") && kOfRoot.contains(name))) {
                continue;
            } else if (isUnknownEffect(name) || !staysInDrawing(value)) {
                result_.leftOut = true;
            } else {
                out_.writeAttribute(name, value.toString());
            }
        }
    }

    // Nobody misses where a group leads that was a link.
    void writeReference(const QString& element, QStringView value) {
        static const QRegularExpression kName(QStringLiteral("^#[^\\s#/\\\\]+$"));
        const QString reference = value.trimmed().toString();
        if (kName.match(reference).hasMatch()) {
            out_.writeAttribute(QStringLiteral("xlink:href"), reference);
        } else {
            result_.leftOut = result_.leftOut || element != QLatin1String("g");
        }
    }

    void characters() {
        if (inTitle_) {
            result_.title += in_.text();
        } else if (styleAt_ > 0) {
            style_ += in_.text();
        } else if (skippedAt_ == 0 && depth_ > 0) {
            out_.writeCharacters(in_.text().toString());
        }
    }

    void end() {
        inTitle_ = inTitle_ && depth_ != 2;
        if (styleAt_ == depth_) {
            styleAt_ = 0;
            const QString sheet = withoutAtRules(style_);
            if (staysInDrawing(sheet)) {
                out_.writeCharacters(sheet);
            } else {
                result_.leftOut = true;
            }
        }
        if (skippedAt_ == 0) {
            out_.writeEndElement();
        } else if (skippedAt_ == depth_) {
            skippedAt_ = 0;
        }
        --depth_;
    }

    SvgSource result_;
    QXmlStreamReader in_;
    QXmlStreamWriter out_;
    QString style_;
    int depth_ = 0;
    int skippedAt_ = 0;  // the depth at which an element is left out; 0: none is
    int styleAt_ = 0;    // the same of a style sheet that is being read
    bool inTitle_ = false;
    bool rootSeen_ = false;
    bool refused_ = false;
};

}  // namespace

std::optional<SvgSource> cleanSvg(const QString& source) {
    const QString text = source.trimmed();  // white space before "<?xml" would be an error
    return text.size() > kMostSvgCharacters ? std::nullopt : Cleaner(text).clean();
}

QSizeF svgSizeHint(const QString& source) {
    QXmlStreamReader xml(source.left(kHintCharacters).trimmed());
    xml.setNamespaceProcessing(false);
    while (!xml.atEnd()) {
        switch (xml.readNext()) {
            case QXmlStreamReader::StartElement:
                return frameOf(xml.attributes()).size;
            case QXmlStreamReader::DTD:
                if (xml.text().contains(QLatin1Char('['))) {
                    return {};
                }
                break;
            default:
                break;
        }
    }
    return {};
}

bool staysInDrawing(QStringView value) {
    // A backslash or a comment may hide what follows.
    static const QRegularExpression kOutside(
        QStringLiteral("\\\\|/\\*|@|url\\s*+\\(\\s*+(?![\"']?+\\s*+#)"),
        QRegularExpression::CaseInsensitiveOption);
    return !kOutside.match(value).hasMatch();
}

QString withoutAtRules(QStringView css) {
    QString bare;
    for (qsizetype at = 0; at < css.size();) {
        const qsizetype begin = css.indexOf(u"/*", at);
        const qsizetype end = begin < 0 ? -1 : css.indexOf(u"*/", begin + 2);
        bare += css.mid(at, begin < 0 ? -1 : begin - at);
        bare += QLatin1Char(' ');
        at = end < 0 ? css.size() : end + 2;
    }
    QString out;
    for (qsizetype at = 0; at < bare.size(); ++at) {
        if (bare[at] != QLatin1Char('@')) {
            out += bare[at];
            continue;
        }
        // Up to a semicolon, or over the braces that follow.
        for (int depth = 0; at < bare.size(); ++at) {
            if (bare[at] == QLatin1Char('{')) {
                ++depth;
            } else if (bare[at] == QLatin1Char('}') ? --depth <= 0
                                                    : depth == 0 && bare[at] == QLatin1Char(';')) {
                break;
            }
        }
    }
    return out;
}

std::optional<double> svgLength(QStringView text) {
    struct Unit {
        const char* name;
        double pixels;
    };
    static constexpr Unit kUnits[] = {{"", 1},    {"px", 1},         {"pt", 96 / 72.0},
                                      {"pc", 16}, {"mm", 96 / 25.4}, {"cm", 960 / 25.4},
                                      {"in", 96}, {"em", 16},        {"rem", 16}};
    static const QRegularExpression kLength(QStringLiteral(
        "^\\s*+((?:\\d++\\.?+\\d*+|\\.\\d++)(?:[eE][+-]?+\\d++)?+)\\s*+([a-z]*+)\\s*+$"));
    const QRegularExpressionMatch match = kLength.match(text);
    const auto number = match.hasMatch() ? finite(match.capturedView(1)) : std::nullopt;
    for (const Unit& unit : kUnits) {
        if (number && match.capturedView(2) == QLatin1String(unit.name)) {
            const double pixels = *number * unit.pixels;
            return pixels > 0 && std::isfinite(pixels) ? std::optional(pixels) : std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace hearth::ui
