#include "documents/office_xml.h"

#include <QXmlStreamReader>
#include <algorithm>

namespace hearth::ui {

namespace {

constexpr int kMostSpaces = 64;
constexpr int kMostLevel = 6;

QString heading(int level) {
    return QString(std::clamp(level, 1, kMostLevel), QLatin1Char('#')) + QLatin1Char(' ');
}

// Paragraphs and their marks, which both formats have. Cells of a table share a line.
class OfficeText {
public:
    explicit OfficeText(TextGatherer& out) : out_(out) {}

    void text(QStringView text) {
        if (!mark_.isEmpty() && !text.trimmed().isEmpty()) {
            out_.add(mark_);
            mark_.clear();
        }
        out_.add(text);
    }
    void setMark(const QString& mark) { mark_ = mark; }
    void endParagraph() {
        mark_.clear();
        if (cells_ > 0) {
            out_.add(u" ");
        } else {
            out_.endParagraph();
        }
    }
    void beginCell() { ++cells_; }
    void endCell() {
        cells_ = std::max(0, cells_ - 1);
        out_.add(u"\t");
    }
    void endRow() { out_.endLine(); }
    void endTable() {
        if (cells_ == 0) {
            out_.endParagraph();
        }
    }

private:
    TextGatherer& out_;
    QString mark_;  // before the first letters of the paragraph
    int cells_ = 0;
};

// Calls begin(xml), end(xml) and characters(xml) for what stands in the XML. begin() returns false
// to leave an element out with all that is in it.
template <typename Begin, typename End, typename Characters>
DocumentTrouble walk(QIODevice& device, const TextGatherer& out, Begin begin, End end,
                     Characters characters) {
    QXmlStreamReader xml(&device);
    int depth = 0;
    int left = 0;  // the depth at which an element is left out; 0: none is
    while (!xml.atEnd() && !out.isFull()) {
        switch (xml.readNext()) {
            case QXmlStreamReader::DTD:
            case QXmlStreamReader::EntityReference:
                return DocumentTrouble::Damaged;
            case QXmlStreamReader::StartElement:
                if (++depth > kDeepest) {
                    return DocumentTrouble::Damaged;
                }
                if (left == 0 && !begin(xml)) {
                    left = depth;
                }
                break;
            case QXmlStreamReader::EndElement:
                if (left == 0) {
                    end(xml);
                } else if (left == depth) {
                    left = 0;
                }
                --depth;
                break;
            case QXmlStreamReader::Characters:
                if (left == 0) {
                    characters(xml);
                }
                break;
            default:
                break;
        }
    }
    return xml.hasError() ? DocumentTrouble::Damaged : DocumentTrouble::None;
}

// The value of an attribute, whatever its prefix stands for.
QStringView attribute(const QXmlStreamReader& xml, const char* name) {
    for (const QXmlStreamAttribute& attribute : xml.attributes()) {
        if (attribute.name() == QLatin1String(name)) {
            return attribute.value();
        }
    }
    return {};
}

}  // namespace

DocumentTrouble readDocxXml(QIODevice& device, TextGatherer& out) {
    OfficeText text(out);
    bool inText = false;
    return walk(
        device, out,
        [&](const QXmlStreamReader& xml) {
            const QStringView name = xml.name();
            // A shape stands in a document twice: anew, and for old programs.
            if (name == u"Fallback" || name == u"del" || name == u"moveFrom") {
                return false;
            }
            if (name == u"t") {
                inText = true;
            } else if (name == u"tab" && xml.attributes().isEmpty()) {
                text.text(u"\t");
            } else if (name == u"br" || name == u"cr") {
                text.text(u"\n");
            } else if (name == u"noBreakHyphen") {
                text.text(u"-");
            } else if (name == u"numPr") {
                text.setMark(QStringLiteral("- "));
            } else if (name == u"pStyle") {
                const QStringView style = attribute(xml, "val");
                if (style.startsWith(u"Heading") && style.size() == 8) {
                    text.setMark(heading(style.last().digitValue()));
                } else if (style == u"Title") {
                    text.setMark(heading(1));
                }
            } else if (name == u"tc") {
                text.beginCell();
            }
            return true;
        },
        [&](const QXmlStreamReader& xml) {
            const QStringView name = xml.name();
            if (name == u"t") {
                inText = false;
            } else if (name == u"p") {
                text.endParagraph();
            } else if (name == u"tc") {
                text.endCell();
            } else if (name == u"tr") {
                text.endRow();
            } else if (name == u"tbl") {
                text.endTable();
            }
        },
        [&](const QXmlStreamReader& xml) {
            if (inText) {
                text.text(xml.text());
            }
        });
}

DocumentTrouble readOdtXml(QIODevice& device, TextGatherer& out) {
    OfficeText text(out);
    int paragraphs = 0;  // text stands in them alone: between them are spaces of the layout
    return walk(
        device, out,
        [&](const QXmlStreamReader& xml) {
            const QStringView name = xml.name();
            if (name == u"tracked-changes" || name == u"annotation" || name == u"note-citation" ||
                name == u"automatic-styles" || name == u"font-face-decls" || name == u"forms") {
                return false;
            }
            if (name == u"p" || name == u"h") {
                ++paragraphs;
                if (name == u"h") {
                    text.setMark(heading(attribute(xml, "outline-level").toInt()));
                }
            } else if (name == u"list-item") {
                text.setMark(QStringLiteral("- "));
            } else if (name == u"tab") {
                text.text(u"\t");
            } else if (name == u"line-break") {
                text.text(u"\n");
            } else if (name == u"s") {
                const int spaces = std::clamp(attribute(xml, "c").toInt(), 1, kMostSpaces);
                text.text(QString(spaces, QLatin1Char(' ')));
            } else if (name == u"table-cell") {
                text.beginCell();
            }
            return true;
        },
        [&](const QXmlStreamReader& xml) {
            const QStringView name = xml.name();
            if (name == u"p" || name == u"h") {
                paragraphs = std::max(0, paragraphs - 1);
                text.endParagraph();
            } else if (name == u"table-cell") {
                text.endCell();
            } else if (name == u"table-row") {
                text.endRow();
            } else if (name == u"table") {
                text.endTable();
            }
        },
        [&](const QXmlStreamReader& xml) {
            if (paragraphs > 0) {
                text.text(xml.text());
            }
        });
}

bool manifestSaysEncrypted(QIODevice& device) {
    bool encrypted = false;
    const TextGatherer none;
    walk(
        device, none,
        [&](const QXmlStreamReader& xml) {
            encrypted = encrypted || xml.name() == u"encryption-data";
            return true;
        },
        [](const QXmlStreamReader& /*xml*/) {}, [](const QXmlStreamReader& /*xml*/) {});
    return encrypted;
}

}  // namespace hearth::ui
