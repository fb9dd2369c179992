// Any text as the source of a drawing: what is left of it is XML that leads nowhere.
#include <QRegularExpression>
#include <QXmlStreamReader>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "documents/svg_source.h"
#include "fuzz/fuzz_input.h"

using namespace hearth;
using namespace hearth::ui;

namespace {

// By another way than staysInDrawing() goes: each "url" is followed by a bracket and a name.
bool leadsOut(const QString& text) {
    static const QRegularExpression kUrl(QStringLiteral("url\\s*\\(([^)]*)"),
                                         QRegularExpression::CaseInsensitiveOption);
    for (const QRegularExpressionMatch& match : kUrl.globalMatch(text)) {
        QString address = match.captured(1).simplified();
        if (address.startsWith(QLatin1Char('"')) || address.startsWith(QLatin1Char('\''))) {
            address = address.mid(1).trimmed();
        }
        if (!address.startsWith(QLatin1Char('#'))) {
            return true;
        }
    }
    return text.contains(QLatin1Char('@')) || text.contains(QLatin1Char('\\'));
}

void check(const SvgSource& source) {
    FUZZ_CHECK(source.title.size() <= 200);
    FUZZ_CHECK(source.size.isEmpty() ||
               (std::isfinite(source.size.width()) && std::isfinite(source.size.height())));
    QXmlStreamReader xml(source.svg);
    bool inStyle = false;
    while (!xml.atEnd()) {
        const QXmlStreamReader::TokenType token = xml.readNext();
        FUZZ_CHECK(token != QXmlStreamReader::DTD && token != QXmlStreamReader::Comment &&
                   token != QXmlStreamReader::ProcessingInstruction &&
                   token != QXmlStreamReader::EntityReference);
        if (token == QXmlStreamReader::StartElement) {
            inStyle = xml.name() == u"style";
            FUZZ_CHECK(xml.name() != u"image" && xml.name() != u"script");
            const QXmlStreamAttributes attributes = xml.attributes();
            for (const QXmlStreamAttribute& attribute : attributes) {
                FUZZ_CHECK(attribute.name() == u"href" ? attribute.value().startsWith(u'#')
                                                       : !leadsOut(attribute.value().toString()));
            }
        } else if (token == QXmlStreamReader::EndElement) {
            inStyle = false;
        } else if (token == QXmlStreamReader::Characters && inStyle) {
            FUZZ_CHECK(!leadsOut(xml.text().toString()));
        }
    }
    FUZZ_CHECK(!xml.hasError());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const QString text =
        QString::fromUtf8(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
    if (const auto source = cleanSvg(text)) {
        check(*source);
    }
    const QSizeF hint = svgSizeHint(text);
    FUZZ_CHECK(hint.isEmpty() || (std::isfinite(hint.width()) && std::isfinite(hint.height())));
    // The same text as the parts that are looked at more closely.
    const QString sheet = withoutAtRules(text);
    FUZZ_CHECK(!sheet.contains(QLatin1Char('@')));
    if (const auto source =
            cleanSvg(QStringLiteral("<svg><style>%1</style><g style=\"%2\" "
                                    "href=\"%3\"/></svg>")
                         .arg(text.toHtmlEscaped(), text.toHtmlEscaped(), text.toHtmlEscaped()))) {
        check(*source);
    }
    return 0;
}
